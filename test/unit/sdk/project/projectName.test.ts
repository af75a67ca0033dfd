import { expect, it } from 'vitest';
import { problemOfName } from '../../../../src/sdk/node/project/newProject.ts';

it.each(['a', 'my_agent', 'my-agent', 'Agent2', 'null', 'x'.repeat(60)])('takes %s', (name) => {
  expect(problemOfName(name)).toBeUndefined();
});

it.each([
  ['', 'A project needs a name.'],
  ['x'.repeat(61), 'It is longer than 60 characters.'],
  ['2agents', 'It must begin with a letter.'],
  ['_agent', 'It must begin with a letter.'],
  ['../agent', 'It must begin with a letter.'],
  ['my agent', 'It may have letters, digits, _ and -, but not " ".'],
  ['a/b', 'It may have letters, digits, _ and -, but not "/".'],
  ['a.b', 'It may have letters, digits, _ and -, but not ".".'],
  ['agént', 'It may have letters, digits, _ and -, but not "é".'],
  ['a😀', 'It may have letters, digits, _ and -, but not "😀".'],
  ['COM1', 'Windows keeps it for a device.'],
])('refuses %j', (name, problem) => {
  expect(problemOfName(name)).toBe(problem);
});
