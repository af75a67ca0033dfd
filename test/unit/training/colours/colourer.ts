/** Colours texts as the editor does, with its own engine, and writes down what our grammars say. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type * as Oniguruma from 'vscode-oniguruma';
import type * as TextMate from 'vscode-textmate';

// Both are bundles in which Node finds no names to import.
const require = createRequire(import.meta.url);
const oniguruma = require('vscode-oniguruma') as typeof Oniguruma;
const textmate = require('vscode-textmate') as typeof TextMate;

const root = path.resolve(import.meta.dirname, '../../../..');
const { grammars } = (
  JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    readonly contributes: {
      readonly grammars: readonly {
        readonly scopeName: string;
        readonly path: string;
        readonly injectTo?: readonly string[];
      }[];
    };
  }
).contributes;

/** A line, and below it each piece that our grammars name, with its scopes. */
export type Colourer = (text: string) => string;

/** @param others files of grammars that are not ours, by scope */
export async function openColourer(
  scope: string,
  others: Readonly<Record<string, string>> = {},
): Promise<Colourer> {
  await loadEngine();
  const ours = grammars.map(({ scopeName, path: file }) => [scopeName, path.join(root, file)] as const);
  const files: Readonly<Record<string, string>> = { ...others, ...Object.fromEntries(ours) };
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: (name) => {
      const file = files[name];
      return Promise.resolve(
        file === undefined ? null : textmate.parseRawGrammar(readFileSync(file, 'utf8'), file),
      );
    },
    getInjections: (name) =>
      grammars.filter(({ injectTo = [] }) => injectTo.includes(name)).map(({ scopeName }) => scopeName),
  });
  const grammar = await registry.loadGrammar(scope);
  if (grammar === null) throw new Error(`There is no grammar ${scope}.`);
  return (text) => colour(grammar, text);
}

let engine: Promise<void> | undefined;

function loadEngine(): Promise<void> {
  const wasm = path.join(path.dirname(require.resolve('vscode-oniguruma')), 'onig.wasm');
  return (engine ??= oniguruma.loadWASM(readFileSync(wasm).buffer));
}

function colour(grammar: TextMate.IGrammar, text: string): string {
  let stack = textmate.INITIAL;
  const lines = text.split('\n').map((line) => {
    const { tokens, ruleStack } = grammar.tokenizeLine(line, stack);
    stack = ruleStack;
    const named = tokens.flatMap(({ startIndex, endIndex, scopes }) => {
      const ours = scopes.slice(1).flatMap((name) => /^(.*)\.agentjet(?:-log)?$/.exec(name)?.[1] ?? []);
      return ours.length === 0 ? [] : [`    ${line.slice(startIndex, endIndex)}  ${ours.join(' ')}`];
    });
    return [`| ${line}`.trimEnd(), ...named].join('\n');
  });
  return `${lines.join('\n')}\n`;
}
