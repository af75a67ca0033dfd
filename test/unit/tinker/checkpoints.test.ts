import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { neverCancelled } from '../../../src/base/core/cancellation.ts';
import { withAdapterFiles } from '../../../src/tinker/node/adapterFiles.ts';
import { openCheckpoints, type TinkerOptions } from '../../../src/tinker/node/openTinker.ts';
import { adapterFiles, type ServerKind, type TinkerServer } from '../../tools/tinkerServer.ts';
import { lora, open, type Opened } from './opened.ts';

interface Saved extends Opened {
  readonly run: string;
  readonly path: string;
  readonly sampler: string;
  readonly options: TinkerOptions;
}

/** A training run with a checkpoint. */
async function saved(kind: ServerKind): Promise<Saved> {
  const opened = await open({ kind });
  const model = await opened.session.createModel(lora, neverCancelled);
  const path = await model.save('step-3');
  const sampler = await model.saveForSampling('step-3');
  const { server, clock } = opened;
  const options = { baseUrl: server.url, env: {}, homeFolder: '/nowhere', clock };
  return { ...opened, run: model.id, path, sampler, options };
}

const listOf = async ({ options, run }: Saved) =>
  (await openCheckpoints(options)).checkpoints.list(run, neverCancelled);

describe('a list of checkpoints', () => {
  it.each(['skyrl', 'skyrl-json'] as const)('has the paths on %s, which tells no sizes', async (kind) => {
    const opened = await saved(kind);
    const { path, sampler } = opened;
    expect(await listOf(opened)).toEqual([{ path }, { path: sampler }]);
  });

  it.each(['tuft', 'service'] as const)('has all pages and the sizes of %s', async (kind) => {
    const opened = await saved(kind);
    const { server, path, sampler, run } = opened;
    const third = `tinker://${run}/sampler_weights/third`;
    server.weights.set(third, { steps: 0, passes: [] });
    const facts = { bytes: 2_500_000, isPublic: false };
    expect(await listOf(opened)).toEqual([path, sampler, third].map((one) => ({ path: one, ...facts })));
  });
});

describe('a checkpoint', () => {
  it.each(['skyrl', 'tuft', 'service'] as const)('is deleted on %s', async (kind) => {
    const opened = await saved(kind);
    const { checkpoints } = await openCheckpoints(opened.options);
    await checkpoints.delete(opened.path, neverCancelled);
    expect((await listOf(opened)).map(({ path }) => path)).toEqual([opened.sampler]);
    await expect(checkpoints.delete(opened.path, neverCancelled)).rejects.toMatchObject({
      code: 'tinker/no-weights',
    });
  });

  it.each(['tuft', 'service'] as const)('is published on %s, and private again', async (kind) => {
    const { options, server, sampler } = await saved(kind);
    const { checkpoints } = await openCheckpoints(options);
    await checkpoints.setPublic(sampler, true, neverCancelled);
    expect([...server.published]).toEqual([sampler]);
    await checkpoints.setPublic(sampler, false, neverCancelled);
    expect([...server.published]).toEqual([]);
  });

  it('is not deleted or published where the server does not offer it', async () => {
    const { options, path } = await saved('skyrl-json');
    const { checkpoints } = await openCheckpoints(options);
    const refusal = { code: 'tinker/not-offered', message: expect.stringContaining('SkyRL 0.3') as string };
    await expect(checkpoints.delete(path, neverCancelled)).rejects.toMatchObject({
      ...refusal,
      hint: expect.stringContaining('--checkpoints-base') as string,
    });
    await expect(checkpoints.setPublic(path, true, neverCancelled)).rejects.toMatchObject(refusal);
  });

  it('cannot have a path that leads elsewhere on the server', async () => {
    const { options, server } = await saved('tuft');
    const { checkpoints } = await openCheckpoints(options);
    for (const path of ['tinker://../weights/x', 'tinker://a/weights/..', 'tinker://a/b/c', 'step-3']) {
      const deleted = checkpoints.delete(path, neverCancelled);
      await expect(deleted).rejects.toMatchObject({ code: 'tinker/bad-path' });
    }
    expect(server.requests.filter(({ method }) => method === 'DELETE')).toEqual([]);
  });
});

describe('the files of a checkpoint', () => {
  const text = async (pieces: AsyncIterable<Uint8Array>): Promise<string> =>
    (await buffer(pieces)).toString('latin1');

  it.each(['skyrl', 'skyrl-json'] as const)('come as an archive from %s', async (kind) => {
    const { options, sampler } = await saved(kind);
    const received = await withAdapterFiles(options, sampler, async (files) => {
      if (files.kind !== 'archive') return undefined;
      return { bytes: files.archive.bytes, text: await text(files.archive.pieces) };
    });
    expect(received?.bytes).toBeGreaterThan(0);
    expect(received?.text.startsWith('\u001f')).toBe(true);
  });

  it('come from the service as an export, which is deleted afterwards', async () => {
    const { options, server, sampler, path, run } = await saved('service');
    const before = server.models.size;
    const received = await withAdapterFiles(options, sampler, async (files) => {
      if (files.kind !== 'files') return undefined;
      expect(await files.open('other')).toBeUndefined();
      const config = await files.open('adapter_config.json');
      return config && text(config.pieces);
    });
    expect(received).toBe(adapterFiles['adapter_config.json']);
    expect(server.sent('load_weights')[0]?.body.path).toBe(path);
    expect(server.sent('save_weights_external')[0]?.body).toMatchObject({ ttl_seconds: 3600 });
    expect([...server.weights.keys()].filter((one) => !one.includes(run))).toEqual([]);
    expect(server.models.size).toBe(before);
    expect(keysOfFiles(server)).toEqual([]);
  });

  it('are named where the server keeps them for itself', async () => {
    const { options, sampler, run } = await saved('tuft');
    await expect(withAdapterFiles(options, sampler, () => Promise.resolve())).rejects.toMatchObject({
      code: 'tinker/files-on-server',
      message: expect.stringContaining(`/srv/tuft/checkpoints/${run}/step-3`) as string,
    });
  });

  it('are missing once they were deleted', async () => {
    const { options, server, sampler } = await saved('skyrl');
    server.weights.delete(sampler);
    await expect(withAdapterFiles(options, sampler, () => Promise.resolve())).rejects.toMatchObject({
      code: 'tinker/no-weights',
    });
  });

  it('are not read from a URL that is not of the web', async () => {
    const { options, server, sampler, run } = await saved('skyrl');
    const answer = { status: 302, headers: { location: 'ftp://host/secret' } };
    server.script(`training_runs/${run}/checkpoints/step-3/archive`, answer);
    await expect(withAdapterFiles(options, sampler, () => Promise.resolve())).rejects.toMatchObject({
      code: 'tinker/bad-answer',
    });
  });
});

/** The keys that requests for files at signed URLs carried. */
function keysOfFiles(server: TinkerServer): unknown[] {
  return server.requests.flatMap(({ path, headers }) =>
    path.startsWith('/signed/') && headers['x-api-key'] !== undefined ? [headers['x-api-key']] : [],
  );
}
