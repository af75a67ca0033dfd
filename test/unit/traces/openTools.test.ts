/** Which of the open tools an answer is found for, against a search through all of them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OpenTools, type OpenTool, toolSpans } from '../../../src/traces/core/spans.ts';
import { fuzz } from '../fuzz.ts';

/** The same, by searching. */
class Searched {
  #open: OpenTool[] = [];

  add(tool: OpenTool): void {
    this.#open.push(tool);
  }

  close(tool: OpenTool): void {
    this.#open = this.#open.filter((one) => one !== tool);
  }

  all(): readonly OpenTool[] {
    return this.#open;
  }

  named(id: string, agent: string): OpenTool | undefined {
    const named = this.#open.filter((tool) => tool.id === id);
    return named.findLast((tool) => tool.agent === agent) ?? named.at(-1);
  }

  latestOf(agent: string): readonly OpenTool[] {
    const own = this.#open.filter((tool) => tool.agent === agent);
    return own.filter(({ call }) => call === own.at(-1)?.call);
  }
}

const agents = fc.constantFrom('a', 'b', 'constructor');
const ids = fc.option(fc.constantFrom('1', '2', '__proto__'));
const step = fc.oneof(
  fc.record({ kind: fc.constant('reply' as const), agent: agents, called: fc.array(ids, { maxLength: 4 }) }),
  fc.record({ kind: fc.constant('answer' as const), agent: agents, id: ids }),
);

describe('open tools', () => {
  it('are those that a search finds', () => {
    const property = fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const [indexed, searched] = [new OpenTools(), new Searched()];
      for (const [call, one] of steps.entries()) {
        if (one.kind === 'reply') {
          for (const id of one.called) {
            const tool: OpenTool = { call, agent: one.agent, id, name: 'tool', from: call };
            indexed.add(tool);
            searched.add(tool);
          }
          continue;
        }
        const { id, agent } = one;
        const named = id === null ? undefined : searched.named(id, agent);
        expect(id === null ? undefined : indexed.named(id, agent)).toBe(named);
        expect(indexed.latestOf(agent)).toEqual(searched.latestOf(agent));
        for (const tool of named === undefined ? searched.latestOf(agent) : [named]) {
          indexed.close(tool);
          searched.close(tool);
        }
        expect([...indexed.all()]).toEqual(searched.all());
        expect(indexed.size).toBe(searched.all().length);
      }
    });
    fc.assert(property, fuzz(11, 1_000));
  });

  it('of an import without times are found among a hundred thousand that are open', () => {
    const count = 100_000;
    const named = (call: number): string => JSON.stringify([{ id: `c${call}`, function: { name: 'add' } }]);
    const rows = toolSpans({
      recorded: [],
      runs: false,
      messages: Array.from({ length: count }, (_, position) => {
        return { position, role: 'tool', toolCallId: `c${position}` };
      }),
      calls: Array.from({ length: count }, (_, call) => {
        return {
          call,
          agent: '',
          startedAt: 0,
          seconds: 0,
          messages: [count - 1 - call],
          toolCalls: named(call),
        };
      }),
    });
    expect(rows).toHaveLength(count);
    expect(rows.every(({ call, answeredBy }) => call === count - 1 - (answeredBy ?? -1))).toBe(true);
  });
});
