import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { expect, it } from '@jest/globals';
import type { FastifyInstance } from 'fastify';
import { findNameCollision } from '../../../src/service/platform/page-paths.ts';
import { startTestService } from '../../support/service.ts';

it('no organization can have a name that another address begins with', async () => {
  const names = new Set<string>();
  const watch = (message: unknown): void => {
    const { fastify } = message as { fastify: FastifyInstance };
    fastify.addHook('onRoute', ({ url }) => {
      names.add(url.split('/')[1] ?? '');
    });
  };
  subscribe('fastify.initialization', watch);
  try {
    await (await startTestService()).stop();
  } finally {
    unsubscribe('fastify.initialization', watch);
  }
  // The start page, assets and other pages without an organization, pages of an organization, and what is no address.
  const others = ['', '-', ':org', '*'];
  const reserved = [...names].filter((name) => !others.includes(name));
  expect(reserved.sort()).toEqual(['admin', 'api', 'log', 'ready']);
  expect(reserved.filter((name) => findNameCollision(name) === undefined)).toEqual([]);
});
