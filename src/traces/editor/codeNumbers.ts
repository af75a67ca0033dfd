import type { CodeLine, LinesView, LineView, PartLineView, ToolLineView } from '../core/protocol/codeRpc.ts';

export type CodeNumber =
  | ({ readonly kind: 'call' } & LineView)
  | ({ readonly kind: 'tool' } & ToolLineView)
  | ({ readonly kind: 'execute' | 'judge' } & PartLineView);

/** Returns the statistics that can be shown, without empty ones and lines that are no longer certain. */
export function codeNumbers({ lines, tools, execute, judge }: LinesView): readonly CodeNumber[] {
  const numbers: CodeNumber[] = [
    ...lines.map((line) => ({ kind: 'call' as const, ...line })),
    ...tools.map((line) => ({ kind: 'tool' as const, ...line })),
    ...(execute === null ? [] : [{ kind: 'execute' as const, ...execute }]),
    ...(judge === null ? [] : [{ kind: 'judge' as const, ...judge }]),
  ];
  return numbers.filter((number) => number.episodes > 0 && isPlaced(number));
}

function isPlaced({ fingerprint }: CodeLine): boolean {
  return fingerprint !== null;
}

/** Returns the viewer's page of its calls, as parameters of the viewer's address. */
export function routeOf(number: CodeNumber): string {
  switch (number.kind) {
    case 'call': {
      const { episode, call } = number.first;
      if (number.episodes === 1)
        return String(new URLSearchParams({ episode: `${episode}`, call: `${call}` }));
      return filtered(`source:${quoted(`${number.name}:${number.line}`)}`);
    }
    case 'tool':
      return filtered(`tool:${quoted(number.tool)}`);
    case 'execute':
    case 'judge':
      return '';
  }
}

function filtered(filter: string): string {
  return String(new URLSearchParams({ filter }));
}

/** Filters have no escape for a quote, but an asterisk matches any character. */
function quoted(value: string): string {
  return /^[^\s()"]+$/.test(value) ? value : `"${value.replaceAll('"', '*')}"`;
}
