import type {
  CompareView,
  ComparedToken,
  ComparedTrace,
  RewardPart,
  TokenDetail,
} from './protocol/tokenRpc.ts';
import { compareMessages, type ComparableSide } from './compare.ts';
import type { TraceViews } from './views.ts';

/** Reads from the trace that a side is in. */
export type UseTrace = <T>(trace: string, ask: (views: TraceViews) => T) => T;

/** Compares two timelines, of one trace or of two. */
export function compareView(left: ComparedTrace, right: ComparedTrace, use: UseTrace): CompareView {
  const read = ({ trace, episode, timeline }: ComparedTrace): ComparableSide =>
    use(trace, (views) => views.comparable(episode, timeline));
  const [one, other] = [read(left), read(right)];
  const { rows, divergence, coarse } = compareMessages(one.messages, other.messages);
  const tokenOf = ({ trace, episode }: ComparedTrace, { side }: ComparableSide): TokenDetail | null => {
    const { timeline, tokens } = side;
    if (divergence === null || timeline === null || divergence >= tokens) return null;
    return use(trace, (views) => views.tokens.token(episode, timeline, divergence));
  };
  const [token, otherToken] = [tokenOf(left, one), tokenOf(right, other)];
  return {
    left: one.side,
    right: other.side,
    rows,
    coarse,
    divergence:
      divergence === null
        ? null
        : { token: divergence, left: compared(token, otherToken), right: compared(otherToken, token) },
    rewards: rewardParts(one.parts, other.parts),
  };
}

/** A token beside the one that the other timeline has in its place. */
function compared(token: TokenDetail | null, other: TokenDetail | null): ComparedToken | null {
  if (token === null) return null;
  const { id, text, logprob, message, inMessage, alternatives } = token;
  const chosen = other === null ? undefined : alternatives.find((one) => one.id === other.id);
  return { id, text, logprob, message, inMessage, otherLogprob: chosen?.logprob ?? null };
}

function rewardParts(left: ComparableSide['parts'], right: ComparableSide['parts']): readonly RewardPart[] {
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])];
  return names.map((name) => ({ name, left: left[name] ?? null, right: right[name] ?? null }));
}
