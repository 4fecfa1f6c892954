package endings

import (
	"fmt"
	"os"
	"syscall"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/emulatortest"
)

func TestChild(t *testing.T) {
	fmt.Println("ready", emulatortest.Run(t).URL)
	switch os.Args[len(os.Args)-1] {
	case "throw":
		panic("an uncaught error")
	case "abort":
		_ = syscall.Kill(os.Getpid(), syscall.SIGABRT)
	}
	select {}
}
