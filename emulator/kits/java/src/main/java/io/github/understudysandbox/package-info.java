/**
 * Starts an emulator of the verification API for tests, and steers it. Each test takes a world of its own, whose clock
 * stands until the test moves it: nothing needs to sleep.
 */
package io.github.understudysandbox;
