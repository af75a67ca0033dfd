import { expect, test } from 'vitest';
import type { CommandIo } from '../../../../src/base/node/terminal/commandIo.ts';
import { continues } from '../../../../src/training/cli/remote/startCommands.ts';
import type { RunValues } from '../../../../src/training/cli/remote/remoteOptions.ts';
import type { DispatchPlan } from '../../../../src/training/node/client/dispatch.ts';
import { orderOf } from './launch/orders.ts';

function planOf(keys: readonly string[]): DispatchPlan {
  const sent = { files: 1, bytes: 1, biggestFiles: [], biggestFolders: [], excluded: [] };
  return { order: orderOf(), text: '', findings: [], preview: { ...sent, keys } };
}

async function decided(
  keys: readonly string[],
  asked: RunValues,
): Promise<{ isSent: boolean; text: string }> {
  let text = '';
  const output = { write: (chunk: string) => void (text += chunk), colour: false };
  const io: CommandIo = {
    ...{ stdout: output, stderr: output, cwd: '/', env: {} },
    readStdin: () => Promise.resolve(''),
  };
  return { isSent: await continues(planOf(keys), asked, '/exp.yaml', io), text };
}

test('without a terminal, files that look like keys are named and not sent, unless a flag allows it', async () => {
  const keys = ['deploy.txt', 'a/hf\u001b_token'];
  const named = expect.stringContaining('deploy.txt, a/hf\\u001b_token') as string;
  await expect(decided(keys, {})).rejects.toMatchObject({ code: 'remote/keys', message: named });
  await expect(decided(keys, { force: true })).rejects.toMatchObject({ code: 'remote/keys' });
  expect((await decided(keys, { sendKeys: true })).isSent).toBe(true);
  expect((await decided([], {})).isSent).toBe(true);
  expect((await decided(keys, { dryRun: true })).text).toContain(
    'looks like a key or password: deploy.txt\n',
  );
});
