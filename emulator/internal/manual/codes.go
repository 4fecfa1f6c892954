package manual

import (
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// codeColumn heads the first column of a table whose rows have codes.
const codeColumn = "code"

// cause is a row of the troubleshooting page: sentences of diagnoses, each as the parts that it has in any case.
type cause struct {
	code      string
	sentences [][]string
}

// causes are the rows of the troubleshooting page.
var causes = sync.OnceValue(func() (all []cause) {
	read, err := parse("docs/troubleshooting.md")
	if err != nil { // the page is in the program
		panic(err)
	}
	each(read.root, func(row *extast.TableRow) {
		if read.plain(row.Parent().FirstChild().FirstChild()) != codeColumn {
			return
		}
		c := cause{code: read.plain(row.FirstChild())}
		each(row.FirstChild().NextSibling(), func(sentence *ast.CodeSpan) {
			c.sentences = append(c.sentences, strings.Split(read.plain(sentence), " … "))
		})
		all = append(all, c)
	})
	return all
})

// Code returns the code of a diagnosis: that of the row of the troubleshooting page with its first sentence that has one, "" for none.
func Code(diagnosis string) string {
	for note := range strings.SplitSeq(diagnosis, "; ") {
		for _, c := range causes() {
			for _, parts := range c.sentences {
				if hasAll(note, parts) {
					return c.code
				}
			}
		}
	}
	return ""
}

func hasAll(text string, parts []string) bool {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return false
		}
	}
	return true
}
