/** Which language a browser gets the viewer in. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { textsFor } from '../../../../src/traces/node/server/httpServer.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'agentjet-texts-'));
  await writeFile(path.join(folder, 'bundle.l10n.zh-cn.json'), '{"Run":"运行"}');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const chinese = { language: 'zh-cn', bundle: { Run: '运行' } };

it.each([
  ['zh-CN,zh;q=0.9,en;q=0.8', chinese],
  ['zh', chinese],
  ['zh-Hans-SG', chinese],
  ['fr-FR, zh-CN;q=0.5', chinese],
  ['en-US,en;q=0.9,zh-CN;q=0.8', undefined],
  ['zh-CN;q=0.3, en;q=0.7', undefined],
  ['zh-CN;q=0, fr', undefined],
  ['zh-TW,zh-Hant-HK;q=0.9', undefined],
  ['*', undefined],
  ['', undefined],
  [';;q=x,,', undefined],
  [undefined, undefined],
])('of a browser that accepts %s', async (accepted, expected) => {
  expect(await textsFor(accepted, folder)).toEqual(expected);
});

it('is English where the bundle is not to be read', async () => {
  expect(await textsFor('zh-CN', path.join(folder, 'none'))).toBeUndefined();
  await writeFile(path.join(folder, 'bundle.l10n.zh-cn.json'), '{"Run":');
  expect(await textsFor('zh-CN', folder)).toBeUndefined();
});
