import * as l10n from '@vscode/l10n';
import { useState } from 'preact/hooks';
import { toReport, type ErrorReport } from '../../../base/core/errors.ts';
import { Failure } from '../../../base/webview/ui/Notices.tsx';
import { longest, mostTags, type EpisodeNote } from '../../core/notes.ts';
import { useViewer } from '../state/viewer.ts';

interface Props {
  readonly episode: number;
  readonly noted: EpisodeNote | undefined;
}

const nothing: EpisodeNote = { note: '', tags: [] };

/** The user's tags and note on an episode. It is folded while there are none. */
export function EpisodeNotes({ episode, noted = nothing }: Props) {
  const { client, trace, refresh } = useViewer();
  const saved = { tags: noted.tags.join(', '), note: noted.note };
  const [draft, setDraft] = useState<typeof saved>();
  const [error, setError] = useState<ErrorReport>();
  const { tags, note } = draft ?? saved;
  const changed = tags !== saved.tags || note !== saved.note;
  const save = (event: Event) => {
    event.preventDefault();
    const named = tags.split(',').map((tag) => tag.trim());
    if (named.length > mostTags || named.some((tag) => tag.length > longest.tag)) {
      const message = l10n.t('Use at most {0} tags with at most {1} characters each.', mostTags, longest.tag);
      setError({ code: 'viewer/annotate', message });
      return;
    }
    client.ask('annotate', { trace, episode, note, tags: named }).then(
      () => {
        setError(undefined);
        setDraft(undefined);
        refresh();
      },
      (reason: unknown) => setError(toReport(reason, 'viewer/annotate')),
    );
  };
  return (
    <details class="episode-notes" open={noted !== nothing}>
      <summary>{l10n.t('Tags and note')}</summary>
      <form onSubmit={save}>
        <label>
          {l10n.t('Tags, separated by commas')}
          <input
            type="text"
            value={tags}
            onInput={({ currentTarget }) => setDraft({ note, tags: currentTarget.value })}
          />
        </label>
        <label>
          {l10n.t('Note')}
          <textarea
            rows={2}
            maxLength={longest.note}
            value={note}
            onInput={({ currentTarget }) => setDraft({ tags, note: currentTarget.value })}
          />
        </label>
        <button type="submit" disabled={!changed}>
          {l10n.t('Save')}
        </button>
        {error && <Failure report={error} />}
      </form>
    </details>
  );
}
