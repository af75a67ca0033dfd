import type { RunTotals, RunView } from '../../protocol/traceRpc.ts';
import { count, fileName, moment, percent, reward, share } from '../ui/format.ts';
import { Failure, Note } from '../ui/Notices.tsx';
import { Stat } from '../ui/Stat.tsx';
import type { Fold } from '../ui/useFold.tsx';
import { runStatus } from './status.ts';

/** What ran, how it stands, what has come of it. */
export function RunHeader({ run, fold }: { readonly run: RunView; readonly fold: Fold }) {
  const status = runStatus(run);
  return (
    <header class="run-header">
      <div class="title-line">
        <h1>{run.experiment}</h1>
        <span class={`status status-${status}`} role="status">
          <span class="status-dot" aria-hidden="true" />
          {status}
        </span>
        <TokenizerLine run={run} />
        {fold.button}
      </div>
      <dl class="facts foldable">
        <Fact name="config" text={fileName(run.config)} title={run.config} />
        <Fact name="workflow" text={run.workflow} title={run.workflowFile} />
        <Fact name="model" text={run.model} />
        <Fact name="started" text={moment(run.startedAt)} />
      </dl>
      <Totals totals={run.totals} episodes={run.episodes} />
      {run.newerFormat !== null && (
        <Note kind="info">
          This trace has format {run.newerFormat}, newer than this viewer: what it does not know is not shown.
          A newer AgentJet shows all of it.
        </Note>
      )}
      {status === 'killed' && (
        <Note kind="warning">
          The process of this run ended before the run did. Everything up to then is here; episodes that ran
          are lost.
        </Note>
      )}
      {run.end?.error && <Failure report={run.end.error} />}
    </header>
  );
}

/** Counts by another tokenizer than the model's are never shown as if they were the model's. */
function TokenizerLine({ run: { tokenizer } }: { readonly run: RunView }) {
  return (
    <span
      class={`tokenizer ${tokenizer.exact ? '' : 'tokenizer-approximate'}`}
      title={tokenizer.file ?? undefined}
    >
      tokenizer: {tokenizer.name}
      {!tokenizer.exact && ', approximate'}
    </span>
  );
}

function Fact({
  name,
  text,
  title,
}: {
  readonly name: string;
  readonly text: string;
  readonly title?: string | undefined;
}) {
  return (
    <div class="fact">
      <dt>{name}</dt>
      <dd title={title}>{text}</dd>
    </div>
  );
}

function Totals({ totals, episodes }: { readonly totals: RunTotals; readonly episodes: number }) {
  return (
    <dl class="stats foldable">
      <Stat name="Episodes" note={`of ${count(episodes)}`}>
        {count(totals.ended)}
      </Stat>
      <Stat name="Mean reward">{reward(totals.meanReward)}</Stat>
      <Stat name="Success">{percent(totals.successRate)}</Stat>
      <Stat name="Failed">{count(totals.failed)}</Stat>
      <Stat name="Calls">{count(totals.calls)}</Stat>
      <Stat name="Timelines">{count(totals.timelines)}</Stat>
      <Stat name="Tokens">{count(totals.tokens)}</Stat>
      <Stat name="Trainable" note={share(totals.trainableTokens, totals.tokens)}>
        {count(totals.trainableTokens)}
      </Stat>
    </dl>
  );
}
