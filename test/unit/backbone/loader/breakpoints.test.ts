import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { InspectorMessageFilter } from '../../../../src/base/node/process/inspectorMessages.ts';
import { startCases } from './programs/cases.ts';
import { Inspector, type Place, type Script } from './programs/inspector.ts';
import { runnable, type Route } from './programs/runnable.ts';

interface Stop {
  /** In the file as written, from 1. */
  readonly line: number;
  readonly route: Route;
}

interface Marked extends Stop {
  readonly label: string;
  readonly url: string;
}

function markedLine(label: string, file: string, route: Route, mark: string): Marked {
  const lines = readFileSync(file, 'utf8').split('\n');
  const line = 1 + lines.findIndex((text) => text.includes(mark));
  return { label, url: pathToFileURL(file).href, route, line };
}

const marked = runnable.map(({ label, file, route }) => markedLine(label, file, route, '// break here'));
/** The line of the program itself where everything is loaded and nothing has run. */
const program = markedLine(
  '',
  path.join(import.meta.dirname, 'programs/run.ts'),
  'in place',
  '// all loaded',
);

/** Runs every file with a breakpoint on its marked line, as a debugger would set it; where each of them stopped, by URL. */
async function debugAll(): Promise<ReadonlyMap<string, Stop>> {
  const child = startCases(runnable, ['--inspect-brk=127.0.0.1:0']);
  const url = await new Promise<URL>((resolve) => {
    const chatter = new InspectorMessageFilter(resolve);
    child.stderr?.on('data', (chunk: Buffer) => chatter.push(String(chunk)));
  });
  const inspector = await Inspector.connect(url);
  const scripts = new Map<string, Script>();
  const stops = new Map<string, Stop>();
  inspector.on('Debugger.scriptParsed', (script) => scripts.set(script.scriptId, script));
  inspector.on('Debugger.paused', ({ callFrames: [frame], hitBreakpoints }) => {
    const script = scripts.get(frame?.location.scriptId ?? '');
    if (frame !== undefined && script !== undefined && hitBreakpoints.length > 0) {
      if (script.url === program.url) for (const one of scripts.values()) breakInMapped(inspector, one);
      else stops.set(script.url, stopAt(script, frame.location));
    }
    void inspector.send('Debugger.resume');
  });
  const done = new Promise((resolve) => inspector.on('Runtime.executionContextDestroyed', resolve));
  await inspector.send('Runtime.enable');
  await inspector.send('Debugger.enable');
  for (const { url, line, route } of [program, ...marked]) {
    if (route === 'in place')
      await inspector.send('Debugger.setBreakpointByUrl', { url, lineNumber: line - 1 });
  }
  await inspector.send('Runtime.runIfWaitingForDebugger');
  await done;
  inspector.close();
  return stops;
}

/** At the first generated place that maps to the marked line. Commands keep their order: no need to wait. */
function breakInMapped(inspector: Inspector, script: Script): void {
  const wanted = marked.find(({ url, route }) => url === script.url && route === 'mapped');
  if (wanted === undefined || script.sourceMapURL === '') return;
  const { scriptId } = script;
  const map = mapOf(script);
  for (let lineNumber = 0; lineNumber <= script.endLine; lineNumber += 1) {
    for (let columnNumber = 0; columnNumber < 100; columnNumber += 1) {
      const entry = map.findEntry(lineNumber, columnNumber);
      if (!('originalLine' in entry) || entry.originalLine !== wanted.line - 1) continue;
      if (entry.generatedLine !== lineNumber) continue;
      void inspector.send('Debugger.setBreakpoint', { location: { scriptId, lineNumber, columnNumber } });
      return;
    }
  }
}

function stopAt(script: Script, { lineNumber, columnNumber }: Place): Stop {
  if (script.sourceMapURL === '') {
    return { line: lineNumber + 1, route: 'in place' };
  }
  const entry = mapOf(script).findEntry(lineNumber, columnNumber);
  const known = 'originalSource' in entry && entry.originalSource === script.url;
  return { line: known ? entry.originalLine + 1 : -1, route: 'mapped' };
}

function mapOf({ sourceMapURL }: Script): SourceMap {
  const [, base64 = ''] = sourceMapURL.split('base64,');
  return new SourceMap(JSON.parse(Buffer.from(base64, 'base64').toString()) as SourceMap['payload']);
}

describe('a breakpoint in the file as written is hit, for every kind of file', async () => {
  const stops = await debugAll();

  test.each(marked)('$label: $route', ({ url, line, route }) => {
    expect(stops.get(url)).toEqual({ line, route });
  });
});
