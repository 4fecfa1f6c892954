package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/store"
	"github.com/understudy-sandbox/understudy/store/storetest"
)

func TestStoreCheck(t *testing.T) {
	t.Parallel()
	whole := filepath.Join(t.TempDir(), "whole.db")
	s, err := store.Open("file:" + whole)
	noError(t, err)
	storetest.Put(t, s, "a", make([]byte, 100_000))
	noError(t, s.Close())
	cut, text := newFile(t, "cut.db", readFile(t, whole)[:10*os.Getpagesize()]), newFile(t, "text.db", "name: maria\n")
	for name, tt := range map[string]struct {
		args      []string
		code      int
		out, errs string
	}{
		"whole file":      {[]string{"check", whole}, exitOK, "store file " + whole + ": fine\n", ""},
		"file cut off":    {[]string{"check", cut}, exitFailed, "", "store file " + cut + " is not a bbolt file, or is damaged (its end is missing): restore it"},
		"no bbolt file":   {[]string{"check", text}, exitFailed, "", "store file " + text + " is not a bbolt file, or is damaged"},
		"no file":         {[]string{"check", text + ".none"}, exitFailed, "", "does not exist, or is empty"},
		"no path":         {[]string{"check"}, exitUsage, "", "takes one argument: say which file"},
		"two paths":       {[]string{"check", whole, cut}, exitUsage, "", "takes one argument: say which file"},
		"unknown command": {[]string{"chek", whole}, exitUsage, "", "did you mean check?"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out, errs bytes.Buffer
			c := self(t, asUnderstudy+"=1", append([]string{"store"}, tt.args...)...)
			c.Stdout, c.Stderr = &out, &errs
			_ = c.Run() // its exit code tells
			code := c.ProcessState.ExitCode()
			if code != tt.code || out.String() != tt.out || !strings.Contains(errs.String(), tt.errs) {
				t.Errorf("exit %d: %q %q, want %d: %q %q", code, &out, &errs, tt.code, tt.out, tt.errs)
			}
		})
	}
}
