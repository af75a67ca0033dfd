import { expect, it } from 'vitest';
import { problemOfName } from '../../../../src/sdk/node/project/newProject.ts';

it.each(['a', 'my_agent', 'my-agent', 'Agent2', 'null', 'x'.repeat(60)])('takes %s', (name) => {
  expect(problemOfName(name)).toBeUndefined();
});

it.each([
  ['', 'Enter a name.'],
  ['x'.repeat(61), 'The name is longer than 60 characters.'],
  ['2agents', 'The name must begin with a letter.'],
  ['_agent', 'The name must begin with a letter.'],
  ['../agent', 'The name must begin with a letter.'],
  ['my agent', 'The name may contain letters, digits, _ and -, but not " ".'],
  ['a/b', 'The name may contain letters, digits, _ and -, but not "/".'],
  ['a.b', 'The name may contain letters, digits, _ and -, but not ".".'],
  ['agént', 'The name may contain letters, digits, _ and -, but not "é".'],
  ['a😀', 'The name may contain letters, digits, _ and -, but not "😀".'],
  ['COM1', 'Windows reserves this name for a device.'],
])('refuses %j', (name, problem) => {
  expect(problemOfName(name)).toBe(problem);
});
