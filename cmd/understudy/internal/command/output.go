package command

import (
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/urfave/cli/v3"
	"golang.org/x/term"
)

// JSONFlag returns the flag of every command that prints a text for people, and can print JSON instead.
func JSONFlag(category string) cli.Flag {
	return Toggle(category, "json", "print one JSON document; from an emulator, the one of its control plane")
}

// PrintRows prints a table below its head, whose columns are separated by vertical bars.
func PrintRows(to io.Writer, head string, rows [][]string) {
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{strings.Split(head, "|")}, rows...) {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = InLine(cell)
		}
		fmt.Fprintln(table, strings.TrimRight(strings.Join(cells, "\t"), "\t"))
	}
	table.Flush()
}

// Visible replaces a character that a terminal cannot show, or would obey, by a question mark: requests may have any.
func Visible(r rune) rune {
	if r != '\n' && !unicode.IsPrint(r) {
		return '?'
	}
	return r
}

// InLine returns a text as visible characters of one line.
func InLine(text string) string {
	return strings.Map(Visible, strings.ReplaceAll(text, "\n", "?"))
}

func Write(c *cli.Command, text string) error {
	if _, err := io.WriteString(c.Root().Writer, text); err != nil {
		return Failed(err)
	}
	return nil
}

func IsTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// Colors reports whether an output may have colours: it is a terminal, and NO_COLOR is not set.
func Colors(w io.Writer) bool { return os.Getenv("NO_COLOR") == "" && IsTerminal(w) }

func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// WriteFile writes a text that a command has made to a file, unless making it failed.
func WriteFile(path, what string, text []byte, err error) error {
	if err == nil {
		err = os.WriteFile(path, append(text, '\n'), 0o644)
	}
	if err != nil {
		return Failed(fmt.Errorf("write the %s: %w: name a file in a folder that can be written", what, err))
	}
	return nil
}

// ReadInput reads a file; - is standard input.
func ReadInput(c *cli.Command, file string) (data []byte, err error) {
	if file == "-" {
		data, err = io.ReadAll(c.Root().Reader)
	} else {
		data, err = os.ReadFile(file)
	}
	if err != nil {
		return nil, Failed(fmt.Errorf("%w: name a file that can be read, or - for standard input", err))
	}
	return data, nil
}
