/** Actions of users with an example, one after another in one window. */
import './mathAgent/commands.ts';
import './mathAgent/f5.ts';
import './mathAgent/config.ts';
import './mathAgent/compare.ts';
import './mathAgent/focus.ts';
// Last: F5 then starts what its last test has selected.
import './mathAgent/starting.ts';
