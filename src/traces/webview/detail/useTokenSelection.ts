import * as l10n from '@vscode/l10n';
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { toReport } from '../../../base/core/errors.ts';
import type { TokensView } from '../../core/protocol/tokenRpc.ts';
import { useViewer } from '../state/viewer.ts';
import { count } from '../../../base/core/format.ts';
import { readTokenText, selectedRange, type CopyForm } from './copyTokens.ts';
import type { TimelineOf } from '../state/route.ts';
import { between, type TokenRange } from './tokenRange.ts';

interface Options {
  readonly of: TimelineOf;
  readonly total: number;
  readonly loaded: TokensView | undefined;
  readonly list: RefObject<HTMLElement | null>;
}

export function useTokenSelection({ of, total, loaded, list }: Options) {
  const { client, trace } = useViewer();
  const [anchor, setAnchor] = useState(0);
  const [range, setRange] = useState<TokenRange | null>(null);
  const [announcement, setAnnouncement] = useState('');
  const copies = useRef(0);
  useEffect(() => () => void (copies.current += 1), []);
  const choose = (next: TokenRange | null) => {
    copies.current += 1;
    setAnnouncement('');
    setRange(next);
  };

  const copy = async (wanted: TokenRange, form: CopyForm) => {
    const number = (copies.current += 1);
    const isOver = () => number !== copies.current;
    setAnnouncement(l10n.t('Copying…'));
    try {
      const key = { trace, ...of };
      const text = await readTokenText(client, key, wanted, { form, isOver });
      if (text === undefined) return;
      await navigator.clipboard.writeText(text);
      if (!isOver()) setAnnouncement(l10n.t('Copied: {0} characters', count(text.length)));
    } catch (error) {
      if (!isOver()) setAnnouncement(l10n.t('Not copied: {0}', toReport(error, 'viewer/copy').message));
    }
  };
  return {
    range,
    announcement,
    all: () => choose({ from: 0, end: total }),
    clear: () => choose(null),
    extend: (from: number, to: number) => {
      const start = range === null ? from : anchor;
      setAnchor(start);
      choose(between(start, to));
    },
    copy: (form: CopyForm) => range && void copy(range, form),
    onCopy: (event: ClipboardEvent, active: number | null) => {
      const own = active === null ? null : { from: active, end: active + 1 };
      const wanted = (list.current && selectedRange(getSelection(), list.current)) ?? range ?? own;
      if (wanted === null) return;
      event.preventDefault();
      const text = loaded && textOf(loaded, wanted);
      // A text that must be loaded first comes too late for the event.
      if (text === undefined) void copy(wanted, 'text');
      else event.clipboardData?.setData('text/plain', text);
    },
  };
}

function textOf(loaded: TokensView, { from, end }: TokenRange): string | undefined {
  const [start, stop] = [from - loaded.from, end - loaded.from];
  if (start < 0 || stop > loaded.texts.length) return undefined;
  return loaded.texts.slice(start, stop).join('');
}
