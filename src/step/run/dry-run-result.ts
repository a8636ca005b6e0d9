import type { UnsentRequest } from '../../client/dry-run.ts';
import type { OperationResult } from '../../operations/operation.ts';
import { code, fact, plain, type Table, type Text } from '../../operations/report.ts';
import { isMapping } from '../../runtime/untrusted-data.ts';

/** Longer values are cut in the report, in characters; the response file has the whole request. */
const maximumValueLength = 1000;

/**
 * The result of a dry run: the request that was not sent, and no verdict.
 *
 * @param variable the variable that makes the step a dry run; undefined if the step itself says so
 */
export function dryRunResult(request: UnsentRequest, variable: string | undefined): OperationResult {
  const { operation, method, url, headers, json, file } = request;
  return {
    outcome: 'skipped',
    conclusion: `Dry run${variable === undefined ? '' : ` (${variable})`}: nothing was recorded or judged. ${operation} prepared ${method} ${url} but did not send it.`,
    response: { request },
    report: {
      subject: `Dry run of ${operation}`,
      facts: [
        { label: 'Request', value: code(`${method} ${url}`) },
        ...(file === undefined ? [] : fact('File', `${file.filename}, ${file.size} bytes, in the part ${file.part}`)),
      ],
      tables: [
        {
          title: 'Headers',
          columns: ['Header', 'Value'],
          rows: Object.entries(headers).map(([name, value]): readonly Text[] => [code(name), code(value)]),
        },
        ...(json === undefined ? [] : [documentTable(json)]),
      ],
    },
  };
}

function documentTable({ part, document }: NonNullable<UnsentRequest['json']>): Table {
  const fields = isMapping(document) ? Object.entries(document) : [['', document] as const];
  return {
    title: part === undefined ? 'JSON body' : `JSON of the part ${part}`,
    columns: ['Field', 'Value'],
    rows: fields.map(([name, value]): readonly Text[] => [code(name), shown(value)]),
  };
}

function shown(value: unknown): Text {
  // Undefined fields are not sent.
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) return plain('');
  if (text.length <= maximumValueLength) return code(text);
  return code(`${text.slice(0, maximumValueLength)}… (${text.length} characters)`);
}
