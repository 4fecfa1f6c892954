package generate

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/emulator/api"
)

// batchSize is the number of documents that are generated in parallel.
const batchSize = 256

// print writes the documents in order. Its memory does not grow with their number. It ends early when ctx ends.
func (g generation) print(ctx context.Context, stdout, stderr io.Writer, documents generator) error {
	out := bufio.NewWriterSize(stdout, 1<<20)
	list := g.count > 1 && g.format == "json"
	if list {
		out.WriteString("[\n")
	}
	err := inOrder(ctx, stderr, g.count, func(n int) ([]byte, error) { return g.encode(documents(n), n) }, func(text []byte) error {
		_, err := out.Write(text)
		return err
	})
	if list && err == nil {
		out.WriteString("]\n")
	}
	return errors.Join(err, out.Flush())
}

// inOrder makes values 1 to count in parallel, and writes each when its turn comes. It shows its progress, and ends early when ctx
// ends.
func inOrder[T any](ctx context.Context, stderr io.Writer, count int, make func(n int) (T, error), write func(T) error) error {
	debug.SetGCPercent(400) // values are garbage once they are written: little stays in memory
	debug.SetMemoryLimit(64 << 20)
	show := progress(stderr, count)
	defer show(count)
	var values [batchSize]T
	var errs [batchSize]error
	for first := 1; first <= count && ctx.Err() == nil; first += batchSize {
		size := min(batchSize, count-first+1)
		var working sync.WaitGroup
		workers := runtime.GOMAXPROCS(0)
		for worker := range workers {
			working.Go(func() {
				for i := worker; i < size; i += workers {
					values[i], errs[i] = make(first + i)
				}
			})
		}
		working.Wait()
		for i := range size {
			if err := errs[i]; err != nil {
				return err
			}
			if err := write(values[i]); err != nil {
				return err
			}
		}
		show(first + size - 1)
	}
	return context.Cause(ctx)
}

// encode returns the text of document n, with what separates it from the next.
func (g generation) encode(document any, n int) ([]byte, error) {
	if g.format == "text" {
		text := readable(document)
		if n < g.count {
			text = append(text, strings.Repeat("=", pageWidth)+"\n"...)
		}
		return text, nil
	}
	line, err := api.Render(document)
	if err != nil || g.format == "ndjson" {
		return append(line, '\n'), err
	}
	prefix, end := "", "\n"
	if g.count > 1 {
		prefix = "  "
	}
	if n < g.count {
		end = ",\n"
	}
	text := bytes.NewBufferString(prefix)
	err = json.Indent(text, line, prefix, "  ")
	text.WriteString(end)
	return text.Bytes(), err
}

// progress returns a function that shows on a bar how many of all are written. It is silent unless there are many and stderr is a
// terminal.
func progress(stderr io.Writer, count int) func(written int) {
	if count < 10*batchSize || !command.IsTerminal(stderr) {
		return func(int) {}
	}
	const width = 40
	return func(written int) {
		line := ""
		if done := written * width / count; written < count {
			line = fmt.Sprintf("[%s%s] %d of %d", strings.Repeat("#", done), strings.Repeat(".", width-done), written, count)
		}
		fmt.Fprint(stderr, "\r\x1b[K", line)
	}
}
