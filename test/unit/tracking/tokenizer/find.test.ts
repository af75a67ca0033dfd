/** Whose tokenizer a run gets, on a file system of a few texts. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { CodedError } from '../../../../src/base/core/errors.ts';
import type { ModelTextSource } from '../../../../src/backbone/core/context-tracker/modelTextSource.ts';
import { findModelText, type OpenOptions } from '../../../../src/backbone/node/tokenizer/open.ts';
import { isModelId, ownCache } from '../../../../src/backbone/node/tokenizer/modelCaches.ts';
import { fixtures, noon } from './fixtures.ts';

const tokenizerJson = readFileSync(path.join(fixtures, 'byte-level/tokenizer.json'), 'utf8');
const configJson = JSON.stringify({ eos_token: '<|im_end|>', chat_template: 'from the config' });

/** A whole tokenizer in a folder. */
function model(folder: string): Record<string, string> {
  return { [`${folder}/tokenizer.json`]: tokenizerJson, [`${folder}/tokenizer_config.json`]: configJson };
}

function find(texts: Record<string, string>, options: Partial<OpenOptions> = {}): Promise<ModelTextSource> {
  const byFile = new Map(Object.entries(texts).map(([file, text]) => [path.resolve(file), text]));
  const exists = (place: string): boolean =>
    [...byFile.keys()].some((file) => file === place || file.startsWith(place + path.sep));
  return findModelText({
    modelPath: 'Org/Model-1.5B',
    setting: undefined,
    cwd: path.resolve('/ws'),
    configFile: path.resolve('/ws/configs/a.yaml'),
    env: {},
    home: path.resolve('/home/me'),
    platform: 'linux',
    now: noon,
    files: {
      readText: (file) => Promise.resolve(byFile.get(file)),
      exists: (file) => Promise.resolve(exists(file)),
    },
    ...options,
  });
}

async function failure(work: Promise<unknown>): Promise<CodedError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof CodedError) return error;
  throw new Error(`It did not fail with a code: ${String(error)}`);
}

const huggingFace = '/home/me/.cache/huggingface/hub/models--Org--Model-1.5B';

describe('findModelText', () => {
  it('falls back to the built-in tokenizer', async () => {
    const found = await find({});
    expect(found.note).toEqual({ name: 'built-in', exact: false, file: null });
    expect(found.problem).toBeUndefined();
    expect((await found.open()).tokenizer.encode('hello')).toHaveLength(1);
    expect((await find({}, { modelPath: undefined })).note.exact).toBe(false);
    expect((await find({}, { modelPath: '/mnt/gone' })).note.exact).toBe(false);
  });

  it.each([
    'Qwen/Qwen2.5-7B-Instruct',
    'Qwen2.5-72B-Instruct',
    '/mnt/models/Qwen2.5-14B-Instruct/',
    'D:\\models\\Qwen2.5-3B-Instruct',
    '/mnt/modelscope/hub/Qwen/Qwen2___5-1___5B-Instruct',
  ])('counts exactly for %s by the built-in tokenizer', async (modelPath) => {
    const { note } = await find({}, { modelPath });
    expect(note).toEqual({ name: modelPath, exact: true, file: null });
  });

  it.each([
    'someone/Qwen2.5-7B-Instruct',
    'Qwen/Qwen2.5-7B',
    'Qwen/Qwen2.5-7B-Instruct-1M',
    'Qwen/Qwen2.5-Coder-7B-Instruct',
    'Qwen/Qwen2.5-VL-7B-Instruct',
    'Qwen/Qwen2-7B-Instruct',
    'Qwen/Qwen3-8B',
    '/mnt/Qwen2.5-7B-Instruct/checkpoint-100',
  ])('counts approximately for %s by the built-in tokenizer', async (modelPath) => {
    expect((await find({}, { modelPath })).note.exact).toBe(false);
  });

  it('does not call the built-in tokenizer exact where that of the model is broken', async () => {
    const modelPath = '/m/Qwen2.5-7B-Instruct';
    const { note } = await find({ [`${modelPath}/tokenizer.json`]: '{}' }, { modelPath });
    expect(note).toEqual({ name: 'built-in', exact: false, file: null });
  });

  it.each([
    ['the working directory', '/ws/Org/Model-1.5B', {}],
    ["the config's folder", '/ws/configs/Org/Model-1.5B', {}],
    ['HF_HUB_CACHE', '/hub/models--Org--Model-1.5B/snapshots/abc123', { HF_HUB_CACHE: '/hub' }],
    [
      'HUGGINGFACE_HUB_CACHE',
      '/hub/models--Org--Model-1.5B/snapshots/abc123',
      { HUGGINGFACE_HUB_CACHE: '/hub' },
    ],
    ['HF_HOME', '/hf/hub/models--Org--Model-1.5B/snapshots/abc123', { HF_HOME: '/hf' }],
    [
      'XDG_CACHE_HOME',
      '/xdg/huggingface/hub/models--Org--Model-1.5B/snapshots/abc123',
      { XDG_CACHE_HOME: '/xdg' },
    ],
    ['the home folder', `${huggingFace}/snapshots/abc123`, { HF_HOME: '' }],
    ['ModelScope', '/home/me/.cache/modelscope/hub/models/Org/Model-1___5B', {}],
    ['an older ModelScope', '/home/me/.cache/modelscope/hub/Org/Model-1___5B', {}],
    ['MODELSCOPE_CACHE', '/ms/Org/Model-1___5B', { MODELSCOPE_CACHE: '/ms' }],
    ['what was fetched', '/home/me/.cache/agentjet/tokenizers/Org/Model-1.5B', {}],
  ])('finds the tokenizer of ajet.model.path by %s', async (_, folder, env) => {
    const snapshots = folder.indexOf('/snapshots/');
    const refs = snapshots < 0 ? {} : { [`${folder.slice(0, snapshots)}/refs/main`]: 'abc123\n' };
    const found = await find({ ...model(folder), ...refs }, { env });
    expect(found.note).toEqual({
      name: 'Org/Model-1.5B',
      exact: true,
      file: path.resolve(folder, 'tokenizer.json'),
    });
    expect(found.problem).toBeUndefined();
  });

  it('takes an absolute folder and calls it by its name', async () => {
    const found = await find(model('/models/mine'), { modelPath: '/models/mine' });
    expect(found.note).toMatchObject({ name: 'mine', exact: true });
    const text = await found.open();
    expect(text.note).toEqual(found.note);
    expect(Buffer.from(text.tokenizer.bytesOf(text.tokenizer.eos)).toString()).toBe('<|im_end|>');
    expect(text.template.render([], { addGenerationPrompt: false })).toBe('from the config');
  });

  it.each(['/models/mine', '/models/mine/tokenizer.json', '../models/mine'])(
    'prefers the setting: %s',
    async (setting) => {
      const found = await find({ ...model('/models/mine'), ...model('/ws/Org/Model-1.5B') }, { setting });
      expect(found.note).toMatchObject({ name: 'mine', file: path.resolve('/models/mine/tokenizer.json') });
    },
  );

  it.each(['/nowhere', '/nowhere/tokenizer.json', '/ws/readme.md'])(
    'fails where the setting names nothing: %s',
    async (setting) => {
      const error = await failure(find({ '/ws/readme.md': 'x' }, { setting }));
      expect(error.code).toBe('tokenizer/not-found');
      expect(error.location).toEqual({ file: path.resolve(setting) });
      expect(error.hint).toBeDefined();
    },
  );

  const broken = {
    'cut off': tokenizerJson.slice(0, 1000),
    'a pointer': 'version https://git-lfs.github.com/spec/v1\n',
    'without a vocabulary': '{"model": {}}',
    'of an unknown model': tokenizerJson.replace('"type":"BPE"', '"type":"Novel"'),
    'of an unknown part': tokenizerJson.replace('"type":"NFC"', '"type":"Novel"'),
    'without a part': '{"model": {"vocab": {}, "merges": []}}',
    null: 'null',
  };

  it.each(Object.entries(broken))('refuses a tokenizer.json that is %s', async (_, text) => {
    const texts = { ...model('/m'), '/m/tokenizer.json': text };
    const error = await failure(find(texts, { setting: '/m' }));
    expect(error.code).toBe('tokenizer/broken');
    expect(error.location).toEqual({ file: path.resolve('/m/tokenizer.json') });

    const found = await find(texts, { modelPath: '/m' });
    expect(found.note.name).toBe('built-in');
    expect(found.problem?.code).toBe('tokenizer/broken');
    expect((await found.open()).note).toEqual(found.note);
  });

  it('refuses a vocabulary that lacks the end of a reply when it is opened', async () => {
    const config = JSON.stringify({ eos_token: '<eos>', chat_template: 'x' });
    const found = await find({ ...model('/m'), '/m/tokenizer_config.json': config }, { setting: '/m' });
    const error = await failure(found.open());
    expect(error.code).toBe('tokenizer/broken');
    expect(error.message).toContain('<eos>');
  });

  it('warns where a folder has no fast tokenizer', async () => {
    const found = await find({ '/m/tokenizer.model': 'x' }, { modelPath: '/m' });
    expect(found.note.name).toBe('built-in');
    expect(found.problem?.code).toBe('tokenizer/no-tokenizer-json');
  });

  it('writes ChatML where there is no template, and says so', async () => {
    const found = await find({ '/m/tokenizer.json': tokenizerJson }, { setting: '/m' });
    expect(found.note.exact).toBe(true);
    expect(found.problem?.code).toBe('tokenizer/no-template');
    const { template, tokenizer } = await found.open();
    const text = template.render([{ role: 'user', content: 'Hi' }], { addGenerationPrompt: true });
    expect(text).toMatch(
      /^<\|im_start\|>system\n.*<\|im_start\|>user\nHi<\|im_end\|>\n<\|im_start\|>assistant\n$/s,
    );
    // Without a config, the end of a ChatML turn ends a reply.
    expect(Buffer.from(tokenizer.bytesOf(tokenizer.eos)).toString()).toBe('<|im_end|>');
  });

  it.each([
    [
      'chat_template.jinja',
      { 'chat_template.jinja': 'jinja', 'chat_template.json': '{"chat_template": "json"}' },
      'jinja',
    ],
    ['chat_template.json', { 'chat_template.json': '{"chat_template": "json"}' }, 'json'],
    [
      'a list',
      {
        'tokenizer_config.json': JSON.stringify({
          eos_token: { content: '<|im_end|>' },
          chat_template: [{ name: 'default', template: 'listed' }],
        }),
      },
      'listed',
    ],
  ])('takes the template from %s', async (_, files, expected) => {
    const beside = Object.fromEntries(Object.entries(files).map(([name, text]) => [`/m/${name}`, text]));
    const { template } = await (await find({ ...model('/m'), ...beside }, { setting: '/m' })).open();
    expect(template.render([], { addGenerationPrompt: false })).toBe(expected);
  });
});

describe('places', () => {
  it('tells ids of models from paths', () => {
    for (const id of ['Qwen/Qwen2.5-7B-Instruct', 'gpt2', 'org/a_b.c-d']) expect(isModelId(id)).toBe(true);
    for (const no of ['', '/abs/path', './x', '../x/y', 'a/../b', 'a/b/c', 'a b', 'C:\\x', 'a/..', '.'])
      expect(isModelId(no), no).toBe(false);
  });

  it('keeps what is fetched where each system keeps caches', () => {
    const home = path.resolve('/home/me');
    expect(ownCache({ env: { LOCALAPPDATA: '/local' }, home, platform: 'win32' })).toBe(
      path.join('/local', 'agentjet', 'tokenizers'),
    );
    expect(
      ownCache({ env: { XDG_CACHE_HOME: '/xdg', LOCALAPPDATA: '/local' }, home, platform: 'linux' }),
    ).toBe(path.join('/xdg', 'agentjet', 'tokenizers'));
    expect(ownCache({ env: {}, home, platform: 'darwin' })).toBe(
      path.join(home, '.cache', 'agentjet', 'tokenizers'),
    );
  });
});
