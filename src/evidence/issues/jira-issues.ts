import type { JiraResult } from '../../contract/attestations/jira.ts';
import { readJsonBody } from '../../http/json-body.ts';
import { type CallContext, sendWithRetry } from '../../http/send-with-retry.ts';
import { type HttpResponse, TransportError } from '../../http/transport.ts';
import { ExternalError, UserError } from '../../runtime/failure.ts';
import { isUnencryptedUrl } from '../../runtime/unencrypted-url.ts';
import { isMapping, listAt, textAt } from '../../runtime/untrusted-data.ts';
import { toIssue } from './issue.ts';

export interface JiraSite {
  /** Where people see it, without a slash at the end. */
  readonly baseUrl: string;
  /** For Jira Cloud; undefined for a personal access token of a server. */
  readonly username: string | undefined;
  readonly token: string;
}

export class JiraIssues {
  readonly #site: JiraSite;
  readonly #call: CallContext;
  readonly #authorization: string;
  #isAllowed = false;

  /** @param addSecret masks what is sent */
  constructor(site: JiraSite, call: CallContext, addSecret: (secret: string) => void) {
    this.#site = site;
    this.#call = call;
    const { username, token } = site;
    const credentials = username === undefined ? token : Buffer.from(`${username}:${token}`).toString('base64');
    addSecret(credentials);
    this.#authorization = `${username === undefined ? 'Bearer' : 'Basic'} ${credentials}`;
    if (isUnencryptedUrl(new URL(site.baseUrl)))
      call.log.warning(`\`jira-api-token\` is sent to ${site.baseUrl} without encryption (http)`);
  }

  /**
   * Looks one issue up.
   *
   * @throws UserError if Jira refuses the credentials; ExternalError if it does not answer as Jira does
   */
  async find(key: string): Promise<JiraResult> {
    const url = `${this.#site.baseUrl}/browse/${encodeURIComponent(key)}`;
    const answer = await this.#ask(`issue/${encodeURIComponent(key)}?fields=summary,status`);
    if (answer.status === 404) {
      await this.#requireAccess();
      return toIssue(key, url, undefined);
    }
    const { body } = answer;
    if (textAt(body, 'key') === undefined) throw this.#createError(answer.status, 'its answer is not an issue');
    return toIssue(key, url, {
      summary: textAt(body, 'fields', 'summary'),
      status: textAt(body, 'fields', 'status', 'name'),
    });
  }

  /** Jira also answers 404 without valid credentials, so an issue is missing only if Jira accepts them. */
  async #requireAccess(): Promise<void> {
    if (this.#isAllowed) return;
    const { status } = await this.#ask('myself');
    if (status !== 200) throw this.#createError(status, 'it does not know who asks');
    this.#isAllowed = true;
  }

  /** Redirects are not followed, so the credentials go nowhere else. */
  async #ask(path: string): Promise<{ readonly status: number; readonly body: unknown }> {
    const url = new URL(`${this.#site.baseUrl}/rest/api/2/${path}`);
    const headers = { accept: 'application/json', authorization: this.#authorization };
    const answer = await this.#send({ method: 'GET', url, headers });
    const { status } = answer;
    const parsed = readJsonBody(answer);
    if (parsed.problem !== undefined) throw this.#createError(status, parsed.problem);
    const { value: body } = parsed;
    if ((status === 200 || status === 404) && isMapping(body)) return { status, body };
    const [first] = listAt(body, 'errorMessages');
    throw this.#createError(status, typeof first === 'string' ? first : (textAt(body, 'message') ?? 'no message'));
  }

  async #send(request: Parameters<typeof sendWithRetry>[1]): Promise<HttpResponse> {
    try {
      return (await sendWithRetry('Jira', request, this.#call)).answer;
    } catch (thrown) {
      if (!(thrown instanceof TransportError)) throw thrown;
      const what = `no answer from Jira at ${this.#site.baseUrl}: ${thrown.message}`;
      throw new ExternalError({ what, remedy: 'Check `jira-base-url`, and try again later.', cause: thrown });
    }
  }

  #createError(status: number, message: string): UserError | ExternalError {
    const what = `Jira at ${this.#site.baseUrl} answered ${status}: ${message}`;
    if (status === 401 || status === 403) {
      const remedy =
        this.#site.username === undefined
          ? 'Check that `jira-api-token` is a personal access token that may browse the projects; Jira Cloud also needs `jira-username`.'
          : 'Check `jira-username` and `jira-api-token`, and that this user may browse the projects. Jira Server needs a personal access token and no user name.';
      return new UserError({ input: 'jira-api-token', what, remedy });
    }
    if (status === 429 || status >= 500) return new ExternalError({ what, remedy: 'Try again later.' });
    const remedy = 'Set `jira-base-url` to the address of the Jira site, with its context path if it has one.';
    return new UserError({ input: 'jira-base-url', what, remedy });
  }
}
