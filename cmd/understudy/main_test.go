package main

import (
	"os"
	"testing"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
)

func TestMain(m *testing.M) {
	if file := os.Getenv(asBareServer); file != "" {
		serveBare(file)
	}
	commandtest.Main(m, root)
}
