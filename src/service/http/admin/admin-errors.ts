/** The errors that only the administration gives. */
export const adminErrors = {
  organizationExists: {
    status: 409,
    message: "Organization '{org}' exists already",
    when: 'An organization of that name was created before.',
  },
  organizationNotFound: {
    status: 404,
    message: "Organization '{org}' does not exist",
    when: 'There is no organization of that name.',
  },
  otherRole: {
    status: 409,
    message: "User '{user}' is a member of '{org}' with the role {role}; change the role of the member first",
    when: 'A key of another role is asked for. A key has the role of its owner.',
  },
  userElsewhere: {
    status: 409,
    message:
      "User '{user}' is a member of other organizations and not of '{org}'; make this user a member first, or choose another name for another person",
    when: 'The name of the user is known in other organizations only.',
  },
  memberNotFound: {
    status: 404,
    message: "User '{user}' is not a member of organization '{org}'",
    when: 'The organization has no such member.',
  },
  serviceAccountExists: {
    status: 409,
    message: "Service account '{name}' exists already in organization '{org}'",
    when: 'The organization has a service account of that name.',
  },
  webhookNotFound: {
    status: 404,
    message: "Notification {number} of organization '{org}' has no webhook at position {position}",
    when: 'There is no such notification, or the target at that position is not a webhook.',
  },
  keyNotFound: {
    status: 404,
    message: "Organization '{org}' has no API key '{key_id}'",
    when: 'The organization has no key of that id.',
  },
} as const;
