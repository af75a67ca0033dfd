/**
 * Writes src/base/core/secrets/data/gitleaks.json, the known formats of secrets, from the configuration of gitleaks.
 *
 * node test/tools/secretFormats.mjs GITLEAKS_FOLDER COMMIT
 *
 * GITLEAKS_FOLDER is a git folder with gitleaks' history, bare or not.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';

const file = path.join(import.meta.dirname, '../../src/base/core/secrets/data/gitleaks.json');

/** Rules that are left out by their id, with the reason. */
const leftOut = {
  'broader rule in src/base/core/secrets/texts.ts': ['private-key'],
  'matches any assignment or command, so it hides prose': [
    'generic-api-key',
    'curl-auth-header',
    'curl-auth-user',
    'kubernetes-secret-yaml',
    'nuget-config-password',
    'hashicorp-tf-password',
  ],
  'matches commit hashes': ['sourcegraph-access-token'],
  'matches pairs of numbers and words': ['facebook-access-token'],
  'its keyword is part of too many words': ['twilio-api-key'],
  'applies to files of one type only': ['freemius-secret-key', 'pkcs12-file'],
};
const noFormat = 'the secret has no format, so its name decides';
/** Rules that match an assignment to a vendor's variable, where the secret alone can be recognized by its prefix. */
const ownPrefix = new Set([
  'defined-networking-api-token',
  'new-relic-browser-api-token',
  'new-relic-insert-key',
  'new-relic-user-api-key',
  'plaid-api-token',
  'typeform-api-token',
  'yandex-api-key',
]);

/** Parts of rules that are left out, because their keywords are in too many texts. */
const leftOutParts = { 'vault-service-token': String.raw`|s\.(?i:[a-z0-9]{24})` };
/** Keywords of ours where upstream's are in too many texts. */
const keywordsOf = { 'vault-service-token': ['hvs.'], jwt: ['.ey'] };

/** The operators between a name and its value, in every rule that matches an assignment. */
const operators = String.raw`(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}`;
/** What upstream matches around a secret, with what only looks at it. A secret also ends before a comma or a bracket. */
const around = [
  [String.raw`(?:[\x60'"\s;]|\\[nr]|$)`, String.raw`(?!\w)`],
  [String.raw`(?:[\x60'"\s;]|\\[nr]|$|\b)`, String.raw`(?!\w)`],
  [String.raw`(?:[^\w-]|\z)`, String.raw`(?![\w-])`],
  [String.raw`(?:[^a-zA-Z0-9+/]|\z)`, '(?![a-zA-Z0-9+/])'],
  [String.raw`(?:^|[\\'"\x60\s>=:(,)])`, String.raw`(?<![\w~.-])`],
  [String.raw`(?:$|[\\'"\x60\s<),])`, String.raw`(?![\w~.-])`],
];

function rulesOf(toml) {
  return toml
    .split(/^\[\[rules\]\]$/m)
    .slice(1)
    .map((block) => {
      const [own] = block.split(/^\[\[rules\.allowlists\]\]$/m);
      return {
        id: /^id = "(.*)"$/m.exec(own)[1],
        regex: /^regex = '''(.*)'''$/m.exec(own)?.[1],
        entropy: Number(/^entropy = (.*)$/m.exec(own)?.[1] ?? 0),
        keywords: /^keywords = \[([^\]]*)\]/m
          .exec(own)?.[1]
          .match(/(?<=")[^"]+/g)
          ?.filter((word) => /\w/.test(word)),
      };
    });
}

/** Splits a regular expression at `|` outside of brackets. */
function alternatives(regex) {
  const parts = [''];
  let depth = 0;
  for (const [piece] of regex.matchAll(/\\.|\[(?:\\.|\[:\w+:\]|[^\]\\])*\]|[^]/g)) {
    if (piece === '(') depth++;
    if (piece === ')') depth--;
    if (piece === '|' && depth === 0) parts.push('');
    else parts[parts.length - 1] += piece;
  }
  return parts;
}

/**
 * Translates RE2 to JavaScript without modifiers, which Node.js 22 does not have: where case does not matter, letters
 * become classes of both cases.
 */
function translated(regex) {
  const cases = [false];
  let result = '';
  const pieces = regex.matchAll(
    /\\x60|\\.|\[(?:\\.|\[:\w+:\]|[^\]\\])*\]|\(\?-?[is]\)|\(\?(?:-?[is])?:|\(\?P<\w+>|\(\?<?!|\{\d+(?:,\d*)?\}|\.[*+{]|[^]/g,
  );
  for (const [piece] of pieces) {
    const insensitive = cases.at(-1);
    if (piece === '(?i)' || piece === '(?-i)') cases[cases.length - 1] = piece === '(?i)';
    else if (piece.startsWith('(?!') || piece.startsWith('(?<!')) {
      cases.push(insensitive);
      result += piece;
    } else if (piece.startsWith('(')) {
      if (piece.includes('s')) throw new Error('repeats any character');
      cases.push(piece === '(?i:' ? true : piece === '(?-i:' ? false : insensitive);
      result += '(?:';
    } else if (piece === ')') {
      cases.pop();
      result += ')';
    } else if (/^\.[*+{]/.test(piece)) throw new Error('repeats any character');
    else if (piece === String.raw`\x60`) result += '`';
    else if (piece === String.raw`\z`) result += '$';
    else if (piece.startsWith('[')) result += classOf(piece, insensitive);
    else if (insensitive && /^[a-z]$/i.test(piece))
      result += `[${piece.toUpperCase()}${piece.toLowerCase()}]`;
    else result += piece;
  }
  return result.replace(/^\(\?:([^()|]*)\)$/, '$1');
}

function classOf(piece, insensitive) {
  const plain = piece.replaceAll('[:alnum:]', 'A-Za-z0-9').replaceAll(String.raw`\x60`, '`');
  if (!insensitive) return plain;
  const both = plain.replace(/(\\.)|([a-z]-[a-z])|([A-Z]-[A-Z])|([a-zA-Z])/g, (all, escape) =>
    escape === undefined ? all.toLowerCase() + all.toUpperCase() : all,
  );
  return both.replace('a-zA-Za-zA-Z', 'a-zA-Z');
}

function formatOf({ id, regex, entropy, keywords }) {
  for (const [reason, ids] of Object.entries(leftOut)) if (ids.includes(id)) return reason;
  const flags = regex?.startsWith('(?i)') ? '(?i)' : '';
  const parts = alternatives(regex.replace(leftOutParts[id] ?? '', '')).flatMap((part) => {
    if (!part.includes(operators)) return [part];
    if (!ownPrefix.has(id)) return [];
    return [`${flags}\\b${part.slice(part.indexOf(operators) + operators.length)}`];
  });
  if (parts.length === 0) return noFormat;
  const regexp = around.reduce((rest, [from, to]) => rest.replaceAll(from, to), parts.join('|'));
  const pattern = translated(regexp);
  new RegExp(pattern);
  return { id, pattern, keywords: (keywordsOf[id] ?? keywords).map((word) => word.toLowerCase()), entropy };
}

const [folder, commit] = process.argv.slice(2);
const git = (...args) => execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8' });
const results = rulesOf(git('show', `${commit}:config/gitleaks.toml`)).map((rule) => {
  try {
    return { id: rule.id, made: formatOf(rule) };
  } catch (error) {
    return { id: rule.id, made: `cannot be translated: ${error.message}` };
  }
});
const formats = results.flatMap(({ made }) => (typeof made === 'string' ? [] : [made]));
for (const { id, made } of results) {
  if (typeof made === 'string') console.log(`left out ${id}: ${made}`);
}
console.log(`${formats.length} of ${results.length} rules`);
const data = {
  source: 'https://github.com/gitleaks/gitleaks',
  file: 'config/gitleaks.toml',
  version: git('describe', '--tags', '--abbrev=0', commit).trim(),
  commit,
  license: git('show', `${commit}:LICENSE`).trim(),
  formats,
};
writeFileSync(file, JSON.stringify(data));
execFileSync(path.join(import.meta.dirname, '../../node_modules/.bin/oxfmt'), [file]);
