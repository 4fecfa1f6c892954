package main

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
)

// understudy docs writes the pages that a running emulator serves, byte for byte.
func TestDocsSite(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "site")
	commandtest.Understudy(t, "docs", "--out", folder).Want(t, command.ExitOK, " files in "+folder)
	s := commandtest.StartServer(t)
	count := 0
	commandtest.NoError(t, filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		count++
		name := filepath.ToSlash(path[len(folder)+1:])
		answer, body, err := commandtest.Send(http.DefaultClient, commandtest.NewRequest(commandtest.Key, "GET", s.URL+"/_understudy/docs/"+name, ""))
		commandtest.NoError(t, err)
		if written := commandtest.ReadFile(t, path); answer.StatusCode != 200 || string(body) != string(written) {
			t.Errorf("%s is answered %d, and has other bytes in the folder", name, answer.StatusCode)
		}
		return nil
	}))
	if count < 35 {
		t.Errorf("there are %d files", count)
	}
}
