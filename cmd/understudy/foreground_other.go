//go:build !unix

package main

// inForeground reports true: Windows sends the signal of Ctrl-C to all processes of a console.
func inForeground() bool { return true }
