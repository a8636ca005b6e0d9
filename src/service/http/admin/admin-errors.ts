/** Errors of the admin API. */
export const adminErrors = {
  organizationExists: {
    status: 409,
    message: "Organization '{org}' already exists",
    when: 'There is an organization with that name.',
  },
  organizationNotFound: {
    status: 404,
    message: "Organization '{org}' does not exist",
    when: 'There is no organization with that name.',
  },
  otherRole: {
    status: 409,
    message: "User '{user}' is a member of '{org}' with the role {role}; change the role of the member first",
    when: 'A key has the role of its owner, and another role was requested.',
  },
  userElsewhere: {
    status: 409,
    message:
      "User '{user}' is a member of other organizations but not of '{org}'; add this user as a member first, or use another name for another person",
    when: 'Only other organizations have a user with that name.',
  },
  memberNotFound: {
    status: 404,
    message: "User '{user}' is not a member of organization '{org}'",
    when: 'The organization has no such member.',
  },
  serviceAccountExists: {
    status: 409,
    message: "Service account '{name}' already exists in organization '{org}'",
    when: 'The organization has a service account with that name.',
  },
  webhookNotFound: {
    status: 404,
    message: "Notification {number} of organization '{org}' has no webhook at position {position}",
    when: 'There is no such notification, or the target at that position is not a webhook.',
  },
  keyNotFound: {
    status: 404,
    message: "Organization '{org}' has no API key '{key_id}'",
    when: 'The organization has no key with that id.',
  },
} as const;
