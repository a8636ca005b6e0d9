import { describe, expect, it } from '@jest/globals';
import { sendEmail } from '../../../../src/service/notification/delivery/send-email.ts';
import { startMailServer } from '../../../support/mail-server.ts';

const mail = {
  recipients: ['ann@example.com', 'bob@example.com'],
  subject: 'prod: ON_NON_COMPLIANT_ENV\r\nBcc: eve@example.com',
  text: '<b>web</b> started\n.\nhttps://compliance.example.com',
};
const never = new AbortController().signal;

describe('an e-mail', () => {
  it('is sent to the mail server in plain text, only for its recipients', async () => {
    const server = await startMailServer();
    await sendEmail({ url: server.url, from: 'Compliance <compliance@example.com>' }, mail, never);
    expect(server.mails).toHaveLength(1);
    const [taken] = server.mails;
    expect(taken).toMatchObject({ from: 'compliance@example.com', recipients: mail.recipients });
    expect(taken?.data).toMatch(/^Content-Type: text\/plain/mu);
    expect(taken?.data).not.toMatch(/text\/html|^Bcc:/mu);
    expect(taken?.data).toMatch(/^Auto-Submitted: auto-generated/mu);
    expect(taken?.data).toContain('<b>web</b> started');
    await server.stop();
  });

  it('that the mail server rejects throws an error with its message', async () => {
    const server = await startMailServer({ refuse: true });
    const sent = sendEmail({ url: server.url, from: 'compliance@example.com' }, mail, never);
    await expect(sent).rejects.toThrow(/^the mail server did not accept the e-mail: .*550 not from you/u);
    await server.stop();
  });

  it('is sent to the others if the mail server refuses some of its recipients, whom it returns', async () => {
    const server = await startMailServer({ unknown: 'bob@example.com' });
    const settings = { url: server.url, from: 'compliance@example.com' };
    expect(await sendEmail(settings, mail, never)).toEqual(['bob@example.com']);
    expect(server.mails).toMatchObject([{ recipients: ['ann@example.com'] }]);
    await server.stop();
  });

  it('is not sent without TLS to another machine if there is a password', async () => {
    const server = await startMailServer();
    // The service does not take it for this machine.
    const url = server.url.replace(/\/\/.*:/u, '//user:password@0.0.0.0:');
    const sent = sendEmail({ url, from: 'compliance@example.com' }, mail, never);
    await expect(sent).rejects.toThrow(/^the mail server did not accept the e-mail: .*STARTTLS/u);
    expect(server.mails).toEqual([]);
    await server.stop();
  });

  it('that is aborted throws an error', async () => {
    const server = await startMailServer();
    const caller = new AbortController();
    const sent = sendEmail({ url: server.url, from: 'compliance@example.com' }, mail, caller.signal);
    caller.abort(new Error('the service stops'));
    await expect(sent).rejects.toThrow('the mail server did not accept the e-mail: the service stops');
    await server.stop();
  });
});
