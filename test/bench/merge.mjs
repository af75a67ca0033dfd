/**
 * What merging costs: how it grows as an episode's calls double, and the same over the loop that compares every pair of
 * timelines, as AgentJet's does.
 */
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { mergeCalls } from '../../src/tracking/core/mergeCalls.ts';
import { alternate, quantile } from './measure.mjs';

const sizes = [64, 128, 256, 512, 1_024];
const compared = 512;
const runs = 9;
/** Milliseconds that a sample measures at least. */
const least = 15;
/** Samples of each side that do not count. */
const warmUps = 20;
/** Merges of a sample at least. */
const fewest = 5;

const agents = 9;
const shared = 99;
const options = { compareLevel: 'text', ignoreTools: true };

export const mergeBenches = [
  growth('chains', chains),
  growth('branches', branches),
  beside('merge-branches-fresh', branches, { isFresh: true, target: 1 / 8 }),
  beside('merge-branches-interned', branches, { isFresh: false, target: 1 / 30 }),
  beside('merge-chains-fresh', chains, { isFresh: true, target: 1 }),
  beside('merge-chains-interned', chains, { isFresh: false, target: 1 }),
];

/** Every call goes on from the last of its agent. */
function chains(calls) {
  const histories = Array.from({ length: agents }, (_, agent) => [env(`system ${agent}`)]);
  return Array.from({ length: calls }, (_, call) => {
    const history = histories[call % agents];
    history.push(env(`question ${call}`));
    const request = [...history];
    const reply = made(`answer ${call}`);
    history.push(env(reply.text));
    return { request, reply };
  });
}

/** Every call shares all but its last message with every other. */
function branches(calls) {
  const history = Array.from({ length: shared }, (_, at) => env(`message ${at}`));
  return Array.from({ length: calls }, (_, call) => ({ request: history, reply: made(`answer ${call}`) }));
}

function words(text) {
  return `${text}: ${'a few words of a message that says something, '.repeat(5)}`;
}

function message(author, text, counts) {
  const tokenIds = Int32Array.from({ length: 60 }, (_, at) => at + 5);
  const lossMask = new Uint8Array(60).fill(counts);
  return {
    role: 'user',
    author,
    text,
    toolCalls: null,
    toolCallId: null,
    tokenIds,
    logprobs: null,
    lossMask,
  };
}

const env = (text) => message('env', text.startsWith('answer') ? text : words(text), 0);
const made = (text) => message('llm', words(text), 1);

/** Calls of positions: one per message that is new, or one per message that is sent. */
function positioned(calls, isFresh) {
  const list = [];
  const known = new Map();
  const positionOf = (one) => {
    const key = `${one.author} ${one.text}`;
    const before = isFresh ? undefined : known.get(key);
    if (before !== undefined) return before;
    // Decoded anew, as each request is: equal strings, none of them the same.
    const text = isFresh ? Buffer.from(one.text).toString() : one.text;
    known.set(key, list.length);
    return list.push({ ...one, text }) - 1;
  };
  const numbered = calls.map(({ request, reply }, call) => ({
    call,
    messages: request.map(positionOf),
    reply: positionOf(reply),
    tools: '[]',
  }));
  return { list, calls: numbered, isFresh };
}

function ours({ list, calls }) {
  return mergeCalls(calls, list, { ...options, lossMaskOf: (reply) => reply.lossMask });
}

function messagesOf({ timelines, added }, { list }) {
  const made = new Map(added.map(({ position, message }) => [position, message]));
  return timelines.map(({ messages }) => messages.map((position) => made.get(position) ?? list[position]));
}

/**
 * Upstream's timelines before they are merged: lists of messages, each with messages of its own. Those that are its own
 * already are taken as they are: a copy, made just before, is nearer to the processor than what ours reads.
 */
function timelinesOf({ list, calls, isFresh }) {
  const own = (position) => (isFresh ? list[position] : { ...list[position] });
  return calls.map(({ messages, reply }) => [...messages, reply].map(own));
}

/**
 * AgentJet's loop over timelines, as it is: the latest first, every pair that is left, messages compared one by one up
 * to the first that differs, and the absorbed kept in a list that is searched for each.
 */
function pairwise(timelines) {
  const absorbed = [];
  const reversed = timelines.toReversed();
  for (let into = 0; into < reversed.length; into++) {
    if (absorbed.includes(into)) continue;
    for (let from = into + 1; from < reversed.length; from++) {
      if (absorbed.includes(from) || !isMergeable(reversed[into], reversed[from])) continue;
      toggle(reversed[into], reversed[from]);
      absorbed.push(from);
    }
  }
  return reversed.filter((_, at) => !absorbed.includes(at)).reverse();
}

function isMergeable(into, from) {
  if (into.length < from.length) return false;
  for (let at = 0; at < from.length; at++) {
    if (options.compareLevel === 'text') {
      if (into[at].text !== from[at].text) return false;
    } else if (!isDeepStrictEqual(into[at].tokenIds, from[at].tokenIds)) return false;
  }
  return options.ignoreTools || isDeepStrictEqual(into[0].tools, from[0].tools);
}

function toggle(into, from) {
  for (let at = 0; at < from.length; at++) {
    if (from[at].author !== 'llm' || into[at].author === 'llm') continue;
    into[at].author = from[at].author;
    into[at].tokenIds = from[at].tokenIds;
    into[at].logprobs = from[at].logprobs;
  }
}

/** What training gets of timelines. */
function outcome(timelines) {
  return timelines.map((messages) =>
    messages.map(({ author, text, tokenIds, logprobs }) => [author, text, tokenIds, logprobs]),
  );
}

/**
 * Milliseconds of the fastest of several merges: what the machine does beside would count, too. Input is made before:
 * upstream's anew for each merge, which changes it, and that of fresh strings too, since strings remember what was
 * hashed of them.
 */
function timed(merge, make) {
  const times = [];
  let spent = 0;
  while (spent < least || times.length < fewest) {
    const input = make();
    const start = performance.now();
    merge(input);
    times.push(performance.now() - start);
    spent += times.at(-1);
  }
  return Math.min(...times);
}

function beside(name, shape, { isFresh, target }) {
  const strings = isFresh ? 'strings as they come off a wire' : 'interned messages';
  return {
    name,
    metric: `ms to merge ${compared} calls, ${strings}`,
    baselineName: 'every pair of timelines compared, as AgentJet does',
    target,
    measure: async () => {
      const calls = shape(compared);
      const fresh = () => positioned(calls, isFresh);
      const kept = fresh();
      const make = isFresh ? fresh : () => kept;
      const merged = outcome(messagesOf(ours(kept), kept));
      assert.deepEqual(merged, outcome(pairwise(timelinesOf(kept))));
      const sides = [() => timed(ours, make), () => timed(pairwise, () => timelinesOf(make()))];
      // A run merges over and over; what the first merges cost, before the JIT has seen them, is no more than that.
      for (const side of sides) for (let sample = 0; sample < warmUps; sample++) side();
      return alternate(runs, ...sides);
    },
  };
}

/** The worst of the doublings, each in time per message. */
function growth(name, shape) {
  return {
    name: `merge-${name}-growth`,
    metric: `ns for twice the messages, the worst doubling of ${sizes[0]} to ${sizes.at(-1)} calls`,
    baselineName: 'ns for the messages before',
    target: 2.2,
    measure: async () => {
      const inputs = sizes.map((calls) => positioned(shape(calls), false));
      const perMessage = inputs.map(() => []);
      for (let run = 0; run < runs; run++) {
        inputs.forEach((input, at) => {
          const messages = input.calls.reduce((sum, call) => sum + call.messages.length + 1, 0);
          perMessage[at].push((1e6 * timed(ours, () => input)) / messages);
        });
      }
      const medians = perMessage.map((samples) => quantile(samples, 0.5));
      const factors = medians.slice(1).map((median, at) => median / medians[at]);
      const worst = factors.indexOf(Math.max(...factors));
      return { ours: perMessage[worst + 1].map((value) => 2 * value), baseline: perMessage[worst] };
    },
  };
}
