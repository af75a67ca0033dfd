import * as l10n from '@vscode/l10n';
import type { RefObject } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { parseFilter, problemText } from '../../core/filterText.ts';
import { longestFilter } from '../state/route.ts';
import { useShortcuts } from '../state/shortcuts.ts';
import { Icon, IconButton } from '../../../base/webview/ui/Icon.tsx';
import { FilterHelp } from './FilterHelp.tsx';
import { completions, fieldText, type Completion, type CompletionNames } from './filterEdit.ts';

/** Milliseconds after the last key before the list follows. */
const pause = 250;

interface Props {
  readonly filter: string;
  readonly onFilter: (filter: string) => void;
  readonly known: CompletionNames;
  /** Called when the user is about to type, to load known names. */
  readonly onFocus: () => void;
}

export function FilterField({ filter, onFilter: send, known, onFocus }: Props) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(filter);
  const sent = useRef(filter);
  const onFilter = (next: string) => {
    sent.current = next;
    send(next);
  };
  useLayoutEffect(() => {
    // The filter comes back without blanks around it. The user may be about to type behind them.
    if (filter === sent.current.trim()) return;
    sent.current = filter;
    setText(filter);
  }, [filter]);
  useFollower(text, filter, onFilter);
  const focus = () => {
    input.current?.focus();
    input.current?.select();
  };
  useShortcuts(l10n.t('Run'), [{ keys: ['/'], what: l10n.t('Filter'), run: focus }]);
  const parsed = parseFilter(text);
  const clear = () => {
    setText('');
    onFilter('');
    input.current?.focus();
  };
  const attempt = (example: string) => {
    setText(example);
    onFilter(example);
  };
  const apply = () => {
    if ('filter' in parsed) onFilter(text);
  };
  return (
    <div class="filter">
      <div class="filter-box">
        <Icon name="filter" />
        <Field
          id={id}
          input={input}
          text={text}
          known={known}
          wrong={'problem' in parsed}
          onText={setText}
          onApply={apply}
          onFocus={onFocus}
        />
        <FilterHelp onTry={attempt} />
        {text !== '' && <IconButton icon="close" name={l10n.t('Clear the filter')} onPress={clear} />}
      </div>
      {'problem' in parsed && (
        <p class="filter-problem" id={`${id}-problem`} role="alert">
          <Icon name="warning" /> {problemText(parsed.problem)}
        </p>
      )}
    </div>
  );
}

interface FieldProps {
  readonly id: string;
  readonly input: RefObject<HTMLInputElement | null>;
  readonly text: string;
  readonly known: CompletionNames;
  readonly wrong: boolean;
  readonly onText: (text: string) => void;
  readonly onApply: () => void;
  readonly onFocus: () => void;
}

function Field({ id, input, text, known, wrong, onText, onApply, onFocus }: FieldProps) {
  const offers = useOffers(input, text, known, onText);
  const onKeyDown = (event: KeyboardEvent) => {
    if (offers.onKey(event)) event.preventDefault();
    else if (event.key === 'Enter') onApply();
    else if (event.key === 'Escape') onText('');
  };
  return (
    <>
      <input
        type="text"
        role="combobox"
        aria-label={l10n.t('Filter')}
        aria-autocomplete="list"
        aria-expanded={offers.list.length > 0}
        aria-controls={`${id}-offers`}
        aria-activedescendant={offers.chosen < 0 ? undefined : `${id}-${offers.chosen}`}
        aria-invalid={wrong}
        aria-describedby={wrong ? `${id}-problem` : undefined}
        autocomplete="off"
        spellcheck={false}
        maxLength={longestFilter}
        placeholder={l10n.t('Filter, e.g. reward<0 agent:solver trains:no')}
        value={text}
        ref={input}
        onFocus={onFocus}
        onClick={() => text === '' && offers.open(0)}
        onBlur={offers.close}
        onInput={({ currentTarget: { value, selectionStart } }) => {
          onText(value);
          offers.open(selectionStart ?? value.length);
        }}
        onKeyDown={onKeyDown}
      />
      <Offers id={id} offers={offers.list} chosen={offers.chosen} onTake={offers.take} />
    </>
  );
}

function useOffers(
  input: RefObject<HTMLInputElement | null>,
  text: string,
  known: CompletionNames,
  onText: (text: string) => void,
) {
  const [caret, setCaret] = useState<number>();
  const [chosen, setChosen] = useState(-1);
  const list = caret === undefined ? [] : completions(text, caret, known).slice(0, mostOffers);
  const open = (at: number) => {
    setCaret(at);
    setChosen(-1);
  };
  const close = () => {
    setCaret(undefined);
    setChosen(-1);
  };
  const take = ({ text: taken, from }: Completion) => {
    const end = from + taken.length;
    const next = text.slice(0, from) + taken + text.slice(caret);
    // Updates at once, because the next key may follow immediately.
    if (input.current) {
      input.current.value = next;
      input.current.setSelectionRange(end, end);
    }
    onText(next);
    open(end);
  };
  const onKey = ({ key }: KeyboardEvent): boolean => {
    const offer = list[chosen];
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      if (list.length === 0) open(input.current?.selectionStart ?? text.length);
      else setChosen(neighbour(chosen, key, list.length));
      return true;
    }
    if ((key === 'Enter' || key === 'Tab') && offer !== undefined) {
      take(offer);
      return true;
    }
    const closes = list.length > 0 && (key === 'Escape' || key === 'Enter');
    if (closes) close();
    return closes && key === 'Escape';
  };
  return { list, chosen, open, close, take, onKey };
}

const mostOffers = 12;

/** Wraps around. Without a choice it returns the first or the last. */
function neighbour(chosen: number, key: 'ArrowDown' | 'ArrowUp', length: number): number {
  if (key === 'ArrowDown') return (chosen + 1) % length;
  return chosen <= 0 ? length - 1 : chosen - 1;
}

/** Applies the text to the list as soon as it is a valid filter. */
function useFollower(text: string, filter: string, onFilter: (filter: string) => void): void {
  const follow = useRef(onFilter);
  follow.current = onFilter;
  useEffect(() => {
    if (text.trim() === filter || 'problem' in parseFilter(text)) return undefined;
    const timer = setTimeout(() => follow.current(text), pause);
    return () => clearTimeout(timer);
  }, [text]);
}

interface OffersProps {
  readonly id: string;
  readonly offers: readonly Completion[];
  readonly chosen: number;
  readonly onTake: (offer: Completion) => void;
}

function Offers({ id, offers, chosen, onTake }: OffersProps) {
  return (
    <div
      class="offers"
      id={`${id}-offers`}
      role="listbox"
      aria-label={l10n.t('Completions')}
      hidden={offers.length === 0}
    >
      {offers.map((offer, index) => (
        <div
          key={offer.text}
          id={`${id}-${index}`}
          class={`offer ${index === chosen ? 'selected' : ''}`}
          role="option"
          aria-selected={index === chosen}
          // The field keeps the focus.
          onMouseDown={(event) => {
            event.preventDefault();
            onTake(offer);
          }}
        >
          <span class="mono">{offer.text}</span> <span class="muted">{fieldText(offer.text)}</span>
        </div>
      ))}
    </div>
  );
}
