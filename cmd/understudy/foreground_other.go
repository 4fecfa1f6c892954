//go:build !unix

package main

// inForeground reports true: Windows sends the signal of Ctrl-C to all processes of a console, and knows no other way.
func inForeground() bool { return true }
