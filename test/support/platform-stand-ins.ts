import type { IncomingMessage } from 'node:http';
import { serve } from '../../tools/loopback-server.ts';
import { aPod, digestOf, podList } from './pods.ts';

/** Platforms that run artifacts: Docker, Kubernetes and AWS, as far as the public client asks them. */
export interface PlatformStandIns {
  readonly url: string;
  /** Variables that direct the clients of Docker and AWS to the stand-ins. */
  readonly variables: Readonly<Record<string, string>>;
  /** A kubeconfig for the cluster. */
  readonly kubeconfig: string;
  /** What runs, as the command lines of the platforms print it. */
  readonly printed: Readonly<Record<'pods' | 'containers' | 'tasks' | 'functions', string>>;
  close(): Promise<void>;
}

/** The digest of everything that the stand-ins run, except the file in S3. */
export const runningDigest = digestOf('c');
/** The content of the only file in S3. */
export const storedContent = 'hello';
/** When everything was started, in Unix seconds. */
export const startedAt = 1_700_000_000;

const startedAtIso = new Date(startedAt * 1000).toISOString();
const json = 'application/json';
const jsonOfAws = 'application/x-amz-json-1.1';

interface Response {
  readonly type: string;
  readonly body: unknown;
}

/** Starts the stand-ins on the loopback interface. The caller must close them. */
export async function startPlatforms(): Promise<PlatformStandIns> {
  const { url, port, close } = await serve((request, response) => {
    request.resume();
    const answer = answerTo(request);
    // Docker's client takes the version of the API from this header.
    response.writeHead(answer === undefined ? 404 : 200, {
      'content-type': answer?.type ?? json,
      'api-version': '1.43',
    });
    const body = answer?.body ?? { message: 'Not Found' };
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  return {
    url,
    variables: {
      DOCKER_HOST: `tcp://127.0.0.1:${port}`,
      AWS_ENDPOINT_URL: url,
      AWS_REGION: 'eu-west-1',
      AWS_ACCESS_KEY_ID: 'id',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_EC2_METADATA_DISABLED: 'true',
    },
    kubeconfig: JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'cluster', cluster: { server: url } }],
      contexts: [{ name: 'context', context: { cluster: 'cluster', user: 'user' } }],
      'current-context': 'context',
      users: [{ name: 'user', user: { token: 'token' } }],
    }),
    printed: {
      pods: JSON.stringify(podList(runningPod())),
      containers: JSON.stringify([inspectedContainer, inspectedImage]),
      tasks: JSON.stringify(ecs['DescribeTasks']),
      functions: JSON.stringify({ Functions: [lambda] }),
    },
    close,
  };
}

function answerTo({ url = '', headers }: IncomingMessage): Response | undefined {
  const target = headers['x-amz-target'];
  if (typeof target === 'string') return { type: jsonOfAws, body: ecs[target.replace(/^.*\./u, '')] ?? {} };
  return others.find(([path]) => path.test(url))?.[1];
}

const cluster = 'arn:aws:ecs:eu-west-1:1:cluster/main';
const service = 'arn:aws:ecs:eu-west-1:1:service/main/web';
const taskArn = 'arn:aws:ecs:eu-west-1:1:task/main/1';

const ecs: Readonly<Record<string, unknown>> = {
  ListClusters: { clusterArns: [cluster] },
  DescribeClusters: { clusters: [{ clusterArn: cluster, clusterName: 'main' }] },
  ListServices: { serviceArns: [service] },
  DescribeServices: { services: [{ serviceName: 'web', serviceArn: service }] },
  ListTasks: { taskArns: [taskArn] },
  DescribeTasks: {
    tasks: [
      {
        taskArn,
        clusterArn: cluster,
        group: 'service:web',
        startedAt,
        lastStatus: 'RUNNING',
        containers: [{ name: 'web', image: 'web:1', imageDigest: `sha256:${runningDigest}` }],
      },
    ],
  },
};

const lambda = {
  FunctionName: 'web',
  PackageType: 'Zip',
  CodeSha256: Buffer.from(runningDigest, 'hex').toString('base64'),
  LastModified: startedAtIso.replace('Z', '+0000'),
};
const imageId = `sha256:${digestOf('b')}`;
const inspectedContainer = {
  ...{ Id: digestOf('a'), Name: '/web', Image: imageId, Created: startedAtIso },
  ...{ Config: { Image: 'web:1' }, State: { Status: 'running', Running: true } },
};
const inspectedImage = { Id: imageId, RepoDigests: [`web@sha256:${runningDigest}`] };
const listedObject =
  `<Contents><Key>a.txt</Key><LastModified>${startedAtIso}</LastModified>` +
  `<ETag>"1"</ETag><Size>${storedContent.length}</Size></Contents>`;

const others: readonly (readonly [RegExp, Response])[] = [
  [/^\/_ping$/u, { type: 'text/plain', body: 'OK' }],
  [
    /^\/v[\d.]+\/containers\/json/u,
    {
      type: json,
      body: [{ Id: digestOf('a'), Names: ['/web'], Image: 'web:1', ImageID: imageId, Created: startedAt }],
    },
  ],
  [/^\/v[\d.]+\/images\/.*\/json$/u, { type: json, body: inspectedImage }],
  [
    /^\/api\/v1\/pods/u,
    { type: json, body: { kind: 'PodList', apiVersion: 'v1', metadata: {}, items: [runningPod()] } },
  ],
  [/^\/2015-03-31\/functions\/web\/configuration/u, { type: json, body: lambda }],
  [/^\/2015-03-31\/functions/u, { type: json, body: { Functions: [lambda] } }],
  [
    /^\/bucket\/?\?.*list-type=2/u,
    {
      type: 'application/xml',
      body: `<ListBucketResult><Name>bucket</Name><KeyCount>1</KeyCount>${listedObject}</ListBucketResult>`,
    },
  ],
  [/^\/bucket\/a\.txt/u, { type: 'text/plain', body: storedContent }],
];

function runningPod(): unknown {
  return aPod('web-1', {
    metadata: { creationTimestamp: startedAtIso },
    status: {
      phase: 'Running',
      startTime: startedAtIso,
      containerStatuses: [{ name: 'web', image: 'web:1', imageID: `docker.io/web@sha256:${runningDigest}` }],
    },
  });
}
