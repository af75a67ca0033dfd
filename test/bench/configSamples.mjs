/** The documents of the config benches, and the places in them where something is done. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { dialectOf, dialects } from '../../src/configs/core/dialect.ts';
import { root } from '../tools/commands.mjs';

const realFolder = path.resolve(root, '../shared/data/configs');
const realCount = 4;
const longLines = 3_000;

/** `{ name, text }`, the real ones by size; made ones of like size stand in where there are none. */
export function configSamples() {
  const real = realTexts()
    .sort((a, b) => b.text.length - a.text.length)
    .slice(0, realCount);
  const made = [320, 150, 100, 80].map((lines) => ({ name: `made-${lines}`, text: madeConfig(lines) }));
  const short = real.length === realCount ? real : made;
  return [...short, { name: `made-${longLines}`, text: madeConfig(longLines) }];
}

function realTexts() {
  if (!existsSync(realFolder)) return [];
  return readdirSync(realFolder, { recursive: true })
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => ({
      name: path.basename(name, '.yaml'),
      text: readFileSync(path.join(realFolder, name), 'utf8'),
    }))
    .filter(({ text }) => dialectOf(text) !== undefined && !text.includes('{{'));
}

/**
 * A config of that many lines as AgentJet's default file has it: every key with its default and a comment, then the
 * sections of the backbones; where that is not enough, tasksets of Trinity's, one after the other.
 */
export function madeConfig(lines) {
  const [ajet] = dialects;
  const rows = [
    'defaults:',
    '  - ajet_default',
    '  - _self_',
    'hydra:',
    '  searchpath: [file://ajet/default_config]',
  ];
  for (const key of ajet.keys().root.children.values()) {
    if (!['defaults', 'hydra', 'trinity'].includes(key.name)) addKey(rows, key, 0);
  }
  rows.push('trinity:', '  buffer:', '    explorer_input:', '      eval_tasksets:');
  for (let index = 0; rows.length < lines; index++) rows.push(...taskset(index));
  return `${rows.slice(0, lines).join('\n')}\n`;
}

function addKey(rows, key, depth) {
  const indent = ' '.repeat(depth * 2);
  const { info, children } = key;
  if (info?.description) rows.push(`${indent}# ${info.description.split('. ')[0]}`);
  if (children.size > 0) {
    rows.push(`${indent}${key.name}:`);
    for (const child of children.values()) addKey(rows, child, depth + 1);
  } else rows.push(`${indent}${key.name}: ${JSON.stringify(info?.default ?? null)}`);
}

function taskset(index) {
  return [
    `        - name: eval_${index}`,
    '          storage_type: file',
    `          path: \${oc.env:DATA_${index},data/${index}}`,
    '          split: test',
    '          repeat_times: 4  # of each task',
    '          format:',
    '            prompt_key: question',
    '            response_key: answer',
    '          rollout_args:',
    '            temperature: 0.6',
    '            logprobs: 0',
    '          # as in training',
    '          default_workflow_type: math_workflow',
  ];
}

/** Places spread over a text: within words, of keys, values and comments alike. */
export function placesIn(text, count) {
  return Array.from({ length: count }, (_, index) => {
    const from = Math.floor(((index + 0.5) / count) * text.length);
    const word = /\w(?=\w)/g;
    word.lastIndex = from;
    return (word.exec(text)?.index ?? 0) + 1;
  });
}

/** Places within keys, spread over a text. */
export function keysIn(text, count) {
  const keys = [...text.matchAll(/^ *(?:- )?[\w.]+(?=:)/gm)].map(
    ({ index, 0: key }) => index + key.length - 1,
  );
  return Array.from({ length: count }, (_, index) => keys[Math.floor(((index + 0.5) / count) * keys.length)]);
}
