/** Compares the cost of tracking an episode with the cost of rendering and tokenizing every prompt. */
import assert from 'node:assert/strict';
import process from 'node:process';
import { loadBuiltInText } from '../../src/backbone/node/tokenizer/builtIn.ts';
import { createEpisodeTracker } from '../../src/tracking/core/episodeTracker.ts';
import { alternate } from './measure.mjs';

const turns = 128;
const runs = 7;
const limits = { modelLength: 1e6, promptLength: 5e5, responseLength: 5e5, turnLength: 1e5 };

export const trackBenches = [
  {
    name: 'track',
    metric: `ms of processor time per LLM call in an episode of ${turns} turns, from its messages to its timelines`,
    baselineName: 'every prompt rendered and tokenized',
    target: 1 / 10,
    measure: measureTracking,
  },
];

async function measureTracking() {
  const text = await loadBuiltInText({ name: 'built-in', exact: false, file: null }, () => new Date(0));
  // Both make the same tokens.
  const { lengths, timelines } = track(text, episode());
  assert.deepEqual(lengths, tokenizeAll(text, episode()));
  assert.equal(timelines.length, 1);
  return alternate(
    runs,
    () => timed(text, track),
    () => timed(text, tokenizeAll),
  );
}

/** Each gets an episode of its own: strings remember what was hashed of them. */
function timed(text, work) {
  const calls = episode();
  const start = process.threadCpuUsage();
  work(text, calls);
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1000 / turns;
}

/** An agent that looks at a board and moves: each call repeats all that was before. */
function episode() {
  const history = [{ role: 'system', content: said('You play a game', 0, 12) }];
  return Array.from({ length: turns }, (_, turn) => {
    history.push({ role: 'user', content: said('The board now shows', turn, 6) });
    const reply = said('I move', turn, 3);
    // As they come off a wire: equal strings, none of them the same.
    const messages = JSON.parse(JSON.stringify(history));
    history.push({ role: 'assistant', content: reply });
    return { messages, reply };
  });
}

function said(what, turn, sentences) {
  const rest = Array.from(
    { length: sentences },
    (_, at) =>
      `Field ${(turn * 7 + at * 3) % 64} holds a piece worth ${(turn + at) % 9}; nothing else has moved.`,
  );
  return `${what} (turn ${turn}). ${rest.join(' ')}`;
}

function track(text, calls) {
  const tracker = createEpisodeTracker({
    text,
    limits,
    toolCallsDisabled: false,
    merging: { compareLevel: 'text', ignoreTools: true },
    madness: { checklist: [], reward: -1, terminates: true },
  });
  const lengths = calls.map(({ messages, reply }, call) => {
    const request = { call, startedAt: call, endedAt: call, messages, tools: null };
    const given = { content: reply, toolCalls: null, finishReason: 'stop', tokens: null };
    return tracker.track(request, given).promptTokens;
  });
  const { timelines, tracking } = tracker.end();
  return { lengths: [...lengths, tracking.tokens], timelines };
}

/** Each call's prompt, and the conversation with its reply; the last of these is the episode's timeline. */
function tokenizeAll({ template, tokenizer }, calls) {
  let conversation = [];
  const lengths = calls.map(({ messages, reply }) => {
    const prompt = tokenizer.encode(template.render(messages, { addGenerationPrompt: true }));
    const whole = [...messages, { role: 'assistant', content: reply }];
    conversation = tokenizer.encode(template.render(whole, { addGenerationPrompt: false }));
    return prompt.length;
  });
  return [...lengths, conversation.length];
}
