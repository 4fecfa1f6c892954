package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/store"
)

func TestStoreCheck(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	whole, cut, text := filepath.Join(folder, "whole.db"), filepath.Join(folder, "cut.db"), filepath.Join(folder, "text.db")
	s, err := store.Open("file:" + whole)
	if err != nil {
		t.Fatal(err)
	}
	err = s.Update(t.Context(), func(tx store.Tx) error { return tx.Put("a", make([]byte, 100_000)) })
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	for path, content := range map[string][]byte{cut: content[:10*os.Getpagesize()], text: []byte("name: maria\n")} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, tt := range map[string]struct {
		args      []string
		code      int
		out, errs string
	}{
		"whole file":      {[]string{"check", whole}, exitOK, "store file " + whole + ": fine\n", ""},
		"file cut off":    {[]string{"check", cut}, exitFailed, "", "store file " + cut + " is not a bbolt file, or is damaged (its end is missing): restore it"},
		"no bbolt file":   {[]string{"check", text}, exitFailed, "", "store file " + text + " is not a bbolt file, or is damaged"},
		"no file":         {[]string{"check", folder + "/none"}, exitFailed, "", "does not exist, or is empty"},
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
