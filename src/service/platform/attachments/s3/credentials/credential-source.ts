export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** For temporary credentials. */
  readonly sessionToken?: string;
}

/** The identity of a Kubernetes workload, or another one in a file, which STS exchanges for credentials. */
interface WebIdentity {
  readonly kind: 'web-identity';
  /** The name of the session in the logs of AWS. */
  readonly sessionName: string;
  readonly region: string;
  /** The address of STS, if it is not the one of AWS. */
  readonly endpoint: string | undefined;
}

/** An address inside a container on ECS or EKS that gives out credentials. */
interface ContainerRole {
  readonly kind: 'container';
  /** The variable with the address. */
  readonly variable: string;
}

/** A profile in the shared files of AWS: `~/.aws/config` and `~/.aws/credentials`. */
interface SharedProfile {
  readonly kind: 'profile';
  readonly profile: string;
  /** The region of STS, if the profile has a role and no region. */
  readonly region: string;
}

/** The role of an EC2 instance, from its metadata service. */
interface InstanceRole {
  readonly kind: 'instance';
}

/** Where credentials come from that are not set directly. The SDK reads the rest from the environment itself. */
export type CredentialSource = WebIdentity | ContainerRole | SharedProfile | InstanceRole;

/** The source as operators know it, for messages. */
export function describeSource(source: S3Credentials | CredentialSource): string {
  if (!('kind' in source)) return 'AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN';
  switch (source.kind) {
    case 'web-identity':
      return 'the role in AWS_ROLE_ARN, with the token in AWS_WEB_IDENTITY_TOKEN_FILE';
    case 'container':
      return `the role of the container, at ${source.variable}`;
    case 'profile':
      return `the profile ${source.profile} in AWS_PROFILE`;
    case 'instance':
      return 'the role of the instance, from its metadata service (IMDSv2)';
  }
}
