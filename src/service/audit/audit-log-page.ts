import { auditEventTypes, listAuditEvents } from '../../contract/audit-log.ts';
import { type Static, Type } from '../../contract/schema.ts';
import { apiRequest, withQuery } from '../platform/pages/api-request.ts';
import { clip, pageLink, renderDownloads, renderPageLinks, renderTime } from '../platform/pages/components.ts';
import { daysQuery, readDays, requireSpan } from '../platform/pages/days.ts';
import { type Hole, type Html, html } from '../platform/pages/html.ts';
import { readInParts, toList, toTime } from '../platform/pages/list-export.ts';
import { addPage, orgPath, type PageHost, type PageRequest } from '../platform/pages/page-host.ts';
import { renderTable } from '../platform/pages/table.ts';
import type { AuditRecord } from './audit-event.ts';
import type { AuditFilter } from './audit-log-records.ts';

const eventsOnPage = 50;

const text = Type.Optional(Type.String({ maxLength: 255 }));
const query = Type.Object({
  ...daysQuery.properties,
  // A form sends an empty text if no type is selected.
  type: Type.Optional(Type.Enum([...auditEventTypes, ''])),
  actor: text,
  subject: text,
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
});

export function addAuditLogPage(host: PageHost): void {
  const { storage } = host.dependencies;
  const toFilter = (fields: Omit<Static<typeof query>, 'page'>): AuditFilter => ({
    ...{ actor: fields.actor, subject: fields.subject, type: auditEventTypes.find((one) => one === fields.type) },
    ...requireSpan(readDays(fields)),
  });
  const lists = {
    events: ({ path: { org }, query: fields }: PageRequest<typeof orgPath, typeof query>) => {
      const filter = toFilter(fields);
      const events = readInParts<AuditRecord>(({ limit }, last) =>
        storage.read(({ auditLog }) => auditLog.list(org, { ...filter, before: last?.number }, { offset: 0, limit })),
      );
      return toList(events, {
        number: ({ number }) => number,
        type: ({ type }) => type,
        at: ({ at }) => toTime(at),
        actor: ({ actor }) => actor,
        subject: ({ subject }) => subject,
        details: ({ details }) => JSON.stringify(details),
      });
    },
  };
  const declaration = { url: '/:org/administration/audit-log', path: orgPath, query, lists };
  addPage(
    host,
    { ...declaration, permission: 'administer' },
    async ({ path: { org }, query: { page = 1, ...fields }, context }) => {
      const filter = toFilter(fields);
      const part = { offset: (page - 1) * eventsOnPage, limit: eventsOnPage };
      const { events, total } = await storage.read(async ({ auditLog }) => ({
        events: await auditLog.list(org, filter, part),
        total: await auditLog.count(org, filter),
      }));
      const { paths } = context;
      const path = paths.auditLog(org);
      return {
        title: 'Audit log',
        section: 'administration',
        crumbs: [{ name: 'Administration', path: paths.administration(org) }],
        api: [apiRequest(listAuditEvents, { org }, { ...filter, page, per_page: eventsOnPage })],
        content: html`${renderAuditFilter(path, fields)}
          <p>${total} ${total === 1 ? 'event' : 'events'}</p>
          ${renderTable({
            label: 'Events',
            columns: ['Event', 'When', 'Who', 'Of what', 'Details'],
            rows: events.map((event): readonly Hole[] => [
              `${event.number}: ${describeType(event.type)}`,
              renderTime(event.at, context),
              pageLink(withQuery(path, { actor: event.actor }), clip(event.actor, 120)),
              pageLink(withQuery(path, { subject: event.subject.slice(0, 255) }), clip(event.subject, 160)),
              Object.entries(event.details).map(
                ([name, value]) => html`<div>${name.replaceAll('_', ' ')}: ${clip(value, 160)}</div>`,
              ),
            ]),
            empty: 'No event is selected.',
            maximumBytes: 75_000,
          })}
          ${renderPageLinks({ page, perPage: eventsOnPage, total }, (number) =>
            withQuery(path, { ...fields, page: number }),
          )}
          ${renderDownloads('All selected events', 'events', path, fields)}`,
      };
    },
  );
}

export function renderAuditFilter(
  path: string,
  { type, actor, subject, from, to }: Omit<Static<typeof query>, 'page'>,
): Html {
  const option = (value: string, words: string): Html =>
    html`<option value="${value}" ${value === type ? html`selected` : undefined}>${words}</option>`;
  return html`<form class="filters" method="get" action="${path}">
    <label>Who <input name="actor" maxlength="255" value="${actor}" /></label>
    <label>Of what <input name="subject" maxlength="255" value="${subject}" /></label>
    <label
      >Event
      <select name="type">
        ${option('', 'any')} ${auditEventTypes.map((one) => option(one, describeType(one)))}
      </select></label
    >
    <label>From (UTC) <input type="date" name="from" value="${from}" /></label>
    <label>To <input type="date" name="to" value="${to}" /></label>
    <button>Search</button>
  </form>`;
}

const describeType = (type: string): string => type.replaceAll('_', ' ');
