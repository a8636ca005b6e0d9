/**
 * The maximum size of an attachment and of a policy file, in bytes, inclusive (interface, Limits). Both sides read
 * "10MB" as 10 MiB.
 */
export const maximumFileBytes = 10 * 1024 * 1024;

/** The maximum size of the JSON part of a multipart request, in bytes (observed at a real service). */
export const maximumDocumentBytes = 1024 * 1024;

/** The maximum number of keys and values in a JSON document: each takes far more memory than its characters. */
export const maximumDocumentValues = 100_000;

/** The maximum number of images in a report, by name and fingerprint. */
export const maximumReportedImages = 5000;

/** The maximum number of environments that a logical environment includes. */
export const maximumMembers = 100;

/** The maximum number of artifacts that are allowed in an environment. */
export const maximumAllowedArtifacts = 1000;

/** The maximum number of policies of an environment, and in a request. */
export const maximumPolicies = 20;

/** The maximum number of targets of a notification: each change of an environment is sent to all of them. */
export const maximumNotificationTargets = 20;

/** The maximum number of notifications of an organization. */
export const maximumNotifications = 100;

/** The maximum number of artifacts of a template that one attestation is about. */
export const maximumTargets = 100;

/** The maximum size of a template file, in bytes. */
export const maximumTemplateBytes = 256 * 1024;

/** The maximum number of items in a flow's template, and of names in all of them. */
export const maximumTemplateNames = 1000;

/** The maximum number of attestation names per subject: an artifact (of a template, too), or a trail. */
export const maximumEvidenceNames = 1000;

/** The maximum number of different licences that an attestation of a bill of materials lists. */
export const maximumLicenses = 500;

/** The maximum number of components that such an attestation names for one reason. */
export const maximumNamedComponents = 100;

/** The maximum numbers of custom types of an organization, and of versions of one. */
export const maximumCustomTypes = 100;
export const maximumCustomTypeVersions = 500;

/** The maximum number of rules of a custom type, and of entries of its summary. */
export const maximumExpressions = 50;

/** The maximum length of an expression in jq, in characters. */
export const maximumExpressionLength = 4096;

/** The maximum size of the JSON Schema of a custom type, and of its expressions as JSON, in bytes. */
export const maximumDefinitionBytes = 64 * 1024;

/** The maximum size of a page of attestations, in bytes of their documents: a page is held in memory. */
export const maximumPageBytes = 8 * 1024 * 1024;

/** The maximum number of keys and values in an environment report. */
export const maximumReportValues = 1_000_000;

/** The maximum size of an environment report, in bytes: more than 20,000 pods with their owners. */
export const maximumReportBytes = 16 * 1024 * 1024;

/** The end of the year 9999, in Unix seconds: a later time is a mistake, most likely in milliseconds. */
export const maximumTimestamp = 253_402_300_799;

/*
 * The maximum lengths of texts in a request, in characters. The interface shows only the one for the name of a service
 * account (64). Each is well above what the tools that produce such texts allow.
 */

/**
 * A name of an organization, flow, trail, environment, and so on. Branch names, which often name trails, fit on all Git
 * servers.
 */
export const maximumNameLength = 255;

/** A single-line text such as a file path: the maximum length of a path on Linux. */
export const maximumLineLength = 4096;

/** A URL: half of what the service accepts as the head of a request. */
export const maximumAddressLength = 8192;

/** A description or a comment: the maximum length of a pull request's description on GitHub. */
export const maximumTextLength = 65_536;

/** A commit message: a squashed commit contains the messages of many. */
export const maximumMessageLength = 262_144;
