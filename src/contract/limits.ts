/**
 * The largest attachment and the largest policy file, in bytes (interface, Limits). "10MB" is read as 10 MiB on both
 * sides, and exactly that much is accepted.
 */
export const maximumFileBytes = 10 * 1024 * 1024;

/** The largest JSON part of a multipart request, in bytes: the limit a real service was seen to hold. */
export const maximumDocumentBytes = 1024 * 1024;

/** The most keys and values in a JSON document: each takes far more memory than its characters do. */
export const maximumDocumentValues = 100_000;

/** The most images in a report of what runs, by name and fingerprint. */
export const maximumReportedImages = 5000;

/** The most environments that a logical one includes. */
export const maximumMembers = 100;

/** The most policies of one environment, and in one request. */
export const maximumPolicies = 20;

/** The most artifacts of a template that one attestation is about. */
export const maximumTargets = 100;

/** The most items of a flow's template, and the most names in them. */
export const maximumTemplateNames = 1000;

/** The most names of attestations about the same thing: an artifact, an artifact of the template in a trail, or a trail. */
export const maximumEvidenceNames = 1000;

/** The largest page of attestations, in bytes of their documents: all of it is held in memory. */
export const maximumPageBytes = 8 * 1024 * 1024;

/** The most keys and values in a report of an environment. */
export const maximumReportValues = 1_000_000;

/** The largest report of an environment, in bytes: more than 20,000 pods with their owners. */
export const maximumReportBytes = 16 * 1024 * 1024;

/*
 * The lengths of texts in a request, in characters. The interface shows only that of a service account's name (64). Each is
 * well above what the tools in question allow or make.
 */

/** A name: of an organization, flow, trail, environment, … . Git servers keep branch names, which name trails, within it. */
export const maximumNameLength = 255;

/** A text of one line, such as a file's path: as long as a path on Linux. */
export const maximumLineLength = 4096;

/** An address: half of what the service accepts as the head of a request. */
export const maximumAddressLength = 8192;

/** A description or a comment: as long as the description of a pull request on GitHub. */
export const maximumTextLength = 65_536;

/** The message of a commit: squashed commits hold the messages of many. */
export const maximumMessageLength = 262_144;
