import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { dialectOf, dialects } from '../../../src/configs/core/dialect.ts';
import { cpuTime } from '../cpuTime.ts';

const idOf = (...lines: readonly string[]): string | undefined => dialectOf(lines.join('\n'))?.id;

describe('dialects', () => {
  it('are told by what stands at the top', () => {
    expect(idOf('ajet:', '  project_name: x')).toBe('ajet');
    expect(idOf('# old', 'astuner:', '  model: {}', 'hydra: {}')).toBe('astuner');
    expect(idOf('mode: both', 'project: x', 'buffer:', '  batch_size: 8', 'explorer: {}')).toBe('trinity');
    expect(idOf('ajet: {}', 'trinity:', '  buffer: {}', 'trainer: {}')).toBe('ajet');
    expect(idOf('"ajet" :', '  x: 1')).toBe('ajet');
  });

  it('are told of texts that are broken', () => {
    expect(idOf('project: "x', 'checkpoint_root_dir: [', 'model:', '  : : }', ' buffer')).toBe('trinity');
    expect(idOf('\ufeffajet:', '\t- {')).toBe('ajet');
    expect(idOf('ajet:\r', '  model:\r')).toBe('ajet');
  });

  it('need two keys of Trinity, one of them its own', () => {
    expect(idOf('checkpoint_root_dir: ./out', 'model:', '  model_path: x')).toBe('trinity');
    expect(idOf('project: x', 'name: y', 'checkpoint_root_dir: ./out')).toBe('trinity');
    expect(idOf('checkpoint_root_dir: ./out')).toBeUndefined();
    expect(idOf('model: x', 'trainer: {}', 'mode: train')).toBeUndefined();
    expect(idOf('algorithm:', '  algorithm_type: grpo')).toBe('trinity');
    expect(idOf('algorithm:', '  name: grpo')).toBeUndefined();
  });

  it('count what AgentJet passes on to Trinity as its own', () => {
    expect(idOf('# defaults', '', 'trinity:', '', '  # first', '  algorithm:', '    algorithm_type: x')).toBe(
      'ajet',
    );
    expect(idOf('trinity:', '  church: holy')).toBeUndefined();
    expect(idOf('trinity:', 'algorithm: x')).toBeUndefined();
  });

  it('look at the first document only, and at nothing within texts or comments', () => {
    expect(idOf('---', 'ajet: {}')).toBe('ajet');
    expect(idOf('a: 1', '---', 'ajet: {}')).toBeUndefined();
    expect(idOf('# ajet:', 'a: |', '  ajet:', 'b: "x', '  ajet: y"')).toBeUndefined();
    expect(idOf('ajets: 1', 'x: ajet:')).toBeUndefined();
  });

  const others: Record<string, readonly string[]> = {
    'docker compose': ['name: x', 'services:', '  trainer: {}', 'volumes: {}'],
    'a GitHub workflow': ['name: CI', 'on: push', 'jobs:', '  build: {}'],
    Kubernetes: ['apiVersion: v1', 'kind: ConfigMap', 'metadata: {}', 'data:', '  mode: x'],
    MkDocs: ['site_name: x', 'nav: []', 'theme: {}'],
    OpenAPI: ['openapi: 3.0.0', 'info: {}', 'paths: {}'],
    'values of a chart': [
      'replicaCount: 1',
      'image: {}',
      'service: {}',
      'explorer: {}',
      'cluster: x',
      'mode: x',
      'ingress: {}',
      'resources: {}',
    ],
    'a model card': ['license: mit', 'tags: [x]', 'model: y', 'datasets: []'],
    'pre-commit': ['repos:', '  - repo: x', 'default_stages: [commit]'],
    'a conda environment': ['name: x', 'channels: []', 'dependencies: []'],
    GitLab: ['stages: [build]', 'buffer: {}', 'build: {}', 'test: {}', 'deploy: {}'],
    "verl's own defaults": [
      'data: {}',
      'actor_rollout_ref: {}',
      'critic: {}',
      'reward_model: {}',
      'algorithm:',
      '  adv_estimator: gae',
      'trainer: {}',
      'ray_init: {}',
    ],
    'Data-Juicer': ['project_name: x', 'np: 4', 'process: []'],
    nothing: [''],
  };
  it.each(Object.entries(others))('leave %s alone', (_, lines) => {
    expect(idOf(...lines)).toBeUndefined();
  });

  it('cost no more than the text is long', () => {
    const started = cpuTime();
    dialectOf(`trinity:\n${'   \n'.repeat(200_000)}`);
    dialectOf(`algorithm:\n${' #x\n'.repeat(200_000)}`);
    dialectOf('a'.repeat(5_000_000));
    dialectOf(`x: ${':'.repeat(5_000_000)}`);
    expect(cpuTime() - started).toBeLessThan(2000);
  });

  it('are listed once each, with locators that the tables know', () => {
    expect(dialects.map((dialect) => dialect.id)).toEqual(['ajet', 'astuner', 'trinity']);
    for (const dialect of dialects) {
      for (const key of dialect.locatorKeys)
        expect(dialect.keys().get(key)?.info?.holds, key).toMatch(/workflow|judge/);
    }
  });
});

/** Real configs, where they have been put beside the project. */
const folder = path.resolve(import.meta.dirname, '../../../../shared/data/configs');
const namesIn = (name: string): string[] =>
  existsSync(folder) ? readdirSync(path.join(folder, name)).filter((file) => file.endsWith('.yaml')) : [];
const readIn = (name: string, file: string): string => readFileSync(path.join(folder, name, file), 'utf8');

describe('real configs', () => {
  it("of Trinity's are Trinity's, but for one of Data-Juicer's", () => {
    const others = namesIn('trinity').filter((file) => dialectOf(readIn('trinity', file))?.id !== 'trinity');
    expect(others.filter((file) => !file.includes('dj_scoring'))).toEqual([]);
  });

  it("of AgentJet's are its own, its predecessor's, or Trinity's", () => {
    const others = namesIn('agentjet').flatMap((file) => {
      const id = dialectOf(readIn('agentjet', file))?.id;
      return id === 'ajet' ? [] : [`${file}: ${String(id)}`];
    });
    expect(
      others.filter((one) => !/data_config.yaml: astuner|trinity_launch.yaml: trinity/.test(one)),
    ).toEqual([]);
  });
});
