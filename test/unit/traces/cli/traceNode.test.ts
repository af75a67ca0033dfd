import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { inTraceNode } from '../../../../src/traces/cli/traceNode.ts';
import { temporaryFolder } from '../folder.ts';

test('an interrupt ends a process that is too busy to see it', async () => {
  const folder = temporaryFolder();
  const busy = path.join(folder, 'busy');
  writeFileSync(
    path.join(folder, 'cli.mjs'),
    `process.on('SIGHUP', () => undefined);
    (await import('node:fs')).writeFileSync(process.argv[2], '');
    for (;;);`,
  );
  const code = inTraceNode([busy], folder);
  await expect.poll(() => existsSync(busy)).toBe(true);
  process.emit('SIGHUP', 'SIGHUP');
  expect(await code).toBe(130);
});
