import { Agent, buildConnector, type Dispatcher } from 'undici';
import { type ConnectSettings, maximumConnections } from './connection-settings.ts';
import { readingAnswerFirst } from './early-answer.ts';

/** Connects to each origin directly, without a proxy. */
export function createAgent(connect: ConnectSettings): Dispatcher {
  return new Agent({ connections: maximumConnections, connect: readingAnswerFirst(buildConnector(connect)) });
}
