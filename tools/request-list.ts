import { apiEndpoints } from '../src/contract/api-endpoints.ts';
import { textAt } from '../src/runtime/untrusted-data.ts';
import { createOpenApiDocument } from '../src/service/platform/server/openapi/document.ts';

/** The page `docs/requests.md`: a line for each request of the API, by the first part of its path. */
export function createRequestList(): string {
  const document = createOpenApiDocument('/api/v2');
  const groups = Map.groupBy(apiEndpoints, ({ path }) => path.split('/')[1] ?? '');
  const sections = [...groups].toSorted().map(([name, endpoints]) => {
    const lines = endpoints.map(({ method, path, number }) => {
      const summary = textAt(document, 'paths', path, method.toLowerCase(), 'summary') ?? '';
      return `- \`${method} ${path}\`: ${summary}${number === undefined ? '' : ` (operation ${String(number)})`}\n`;
    });
    return `\n## ${name}\n\n${lines.join('')}`;
  });
  return `# Requests of the service

For those who write a client: all requests below \`/api/v2\`, generated from their declarations by \`npm run openapi\`.
[The API](service-api.md) says who may send them; [openapi.json](openapi.json) has their fields and answers.
${sections.join('')}`;
}
