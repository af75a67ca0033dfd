import { describe, expect, it } from 'vitest';
import { chooseTinker, tinkerCommand } from '../../../../../src/training/core/launch/tinkerServers.ts';
import { RunFold } from '../../../../../src/training/core/runs/fold.ts';
import { tinkerPhases } from '../../../../../src/training/core/runs/tinkerPhases.ts';

const command = ['/bin/serve', '{port}'];
const servers = {
  first: { command, models: ['a', 'b'], gpus: 1 },
  second: { command, models: ['b', 'c'], gpus: 2 },
};

describe('a Tinker server of a host', () => {
  it.each([
    [{ model: 'a' }, { server: 'first', model: 'a', gpus: 1 }],
    [{ model: 'b' }, { server: 'first', model: 'b', gpus: 1 }],
    [
      { server: 'second', model: 'b' },
      { server: 'second', model: 'b', gpus: 2 },
    ],
  ])('is chosen by %o', (request, chosen) => {
    expect(chooseTinker(servers, request)).toEqual(chosen);
  });

  it('needs no name if there is one', () => {
    const only = { only: { command, models: ['a'], gpus: 0 } };
    expect(chooseTinker(only, {})).toEqual({ server: 'only', model: 'a', gpus: 0 });
  });

  it.each([
    [{}, servers, 'host/tinker-model'],
    [{ server: 'second' }, servers, 'host/tinker-model'],
    [{ server: 'second', model: 'a' }, servers, 'host/tinker-model'],
    [{ server: 'third' }, servers, 'host/tinker-not-allowed'],
    [{ model: 'a' }, {}, 'host/tinker-not-allowed'],
  ])('is refused for %o', (request, allowed, code) => {
    expect(() => chooseTinker(allowed, request)).toThrow(expect.objectContaining({ code }));
  });

  it('gets its values as parts of arguments, whatever they are', () => {
    const values = { port: 8123, model: '$& {data}', data: '/d a' };
    const parts = ['/bin/serve', '--db=sqlite:///{data}/db', '{model}', '{port}{port}', '{other}'];
    expect(tinkerCommand(parts, values)).toEqual({
      command: '/bin/serve',
      args: ['--db=sqlite:////d a/db', '$& {data}', '81238123', '{other}'],
    });
  });

  it('keeps its phase when its log has words of an earlier one', () => {
    const fold = new RunFold();
    fold.take({ type: 'phase', seq: 1, at: 1, phase: tinkerPhases.serving });
    const lines = ['Loading safetensors checkpoint shards: 100%'];
    expect(fold.take({ type: 'log', seq: 2, at: 2, source: 'launcher', lines, to: 44 })).toEqual([]);
    expect(fold.state.phase).toBe(tinkerPhases.serving);
  });
});
