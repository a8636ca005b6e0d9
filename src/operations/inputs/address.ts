import type { Input } from './input.ts';

/** An http or https address, without a user name and password, which would end up in logs and in the service. */
export function address(name: string, remedy: string, credentialsRemedy: string): Input<string> {
  return {
    name,
    secret: false,
    parse(value) {
      const part = withoutSecrets(value);
      if (!/^https?:\/\//u.test(value) || !URL.canParse(value)) {
        return { problem: 'must be an http or https URL', remedy, part };
      }
      const { username, password } = new URL(value);
      if (username === '' && password === '') return { value };
      return { problem: 'must not hold a user name or password', remedy: credentialsRemedy, part };
    },
  };
}

/** An address, malformed ones included, without what may be a password or key in it: user, query and fragment. */
export function withoutSecrets(text: string): string {
  return text.replace(/^([a-z][a-z\d+.-]*:\/\/)?.*@/isu, '$1***@').replace(/([?#]).*$/su, '$1***');
}
