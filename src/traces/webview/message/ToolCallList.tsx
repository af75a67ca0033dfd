import * as l10n from '@vscode/l10n';
import { useViewer } from '../state/viewer.ts';
import { prettyJson } from '../../../base/core/format.ts';
import { GoToSource } from '../ui/GoToSource.tsx';
import { PlainText } from './PlainText.tsx';
import { parseToolCalls, type ToolCall, type ToolAnswer } from './toolCalls.ts';

const shownOfAnswer = 200;

interface Props {
  readonly json: string;
  readonly answers: readonly (ToolAnswer | undefined)[];
  readonly onShow: (message: number) => void;
}

/** Tool calls with name, arguments and answer. JSON of another form is shown as text. */
export function ToolCallList({ json, answers, onShow }: Props) {
  const calls = parseToolCalls(json);
  if (calls === undefined) {
    return (
      <pre class="tool-calls" aria-label={l10n.t('Tool calls')}>
        <PlainText text={prettyJson(json)} />
      </pre>
    );
  }
  return (
    <ul class="tool-call-list" aria-label={l10n.t('Tool calls')}>
      {calls.map((call, index) => (
        <li key={index} class="tool-call">
          <Call call={call} />
          <Answer answer={answers[index]} onShow={onShow} />
        </li>
      ))}
    </ul>
  );
}

function Call({ call: { id, name, given, pretty } }: { readonly call: ToolCall }) {
  const { route } = useViewer();
  const episode = 'episode' in route ? route.episode : null;
  return (
    <>
      <div class="tool-call-head">
        <span class="mono tool-name">{name}</span>
        {episode !== null && name !== '' && (
          <GoToSource
            episode={episode}
            of={{ kind: 'tool', tool: name }}
            label={l10n.t('Source')}
            what={l10n.t('Source of the tool {0}', name)}
          />
        )}
        {id !== null && <span class="mono muted">{id}</span>}
        {pretty === null && given !== '' && (
          <span class="badge badge-error">{l10n.t('arguments are not valid JSON')}</span>
        )}
      </div>
      {given !== '' && (
        <pre class="tool-calls">
          <PlainText text={pretty ?? given} />
        </pre>
      )}
    </>
  );
}

interface AnswerProps {
  readonly answer: ToolAnswer | undefined;
  readonly onShow: (message: number) => void;
}

function Answer({ answer, onShow }: AnswerProps) {
  if (answer === undefined) return null;
  const { message, text } = answer;
  return (
    <div class="tool-answer">
      <button type="button" class="link" onClick={() => onShow(message)}>
        {l10n.t('Answered by message {0}', message)}
      </button>
      <span class="tool-answer-text mono">
        <PlainText text={text.slice(0, shownOfAnswer)} />
        {text.length > shownOfAnswer && '…'}
      </span>
    </div>
  );
}
