package manual

import (
	"bytes"
	"cmp"
	"encoding/json"
	"html/template"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

const layoutFile = "page.html"

// repository is where a link leads to a file that is no page.
const repository = "https://github.com/understudy-sandbox/understudy/blob/"

// released matches versions that have a tag of their name.
var released = regexp.MustCompile(`^v\d+\.\d+\.\d+$`)

var layout = sync.OnceValue(func() *template.Template { return template.Must(template.ParseFS(ownFiles, "assets/"+layoutFile)) })

var markdown = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(parser.WithAutoHeadingID()))
})

// parsed is a Markdown file and its tree.
type parsed struct {
	source []byte
	root   ast.Node
}

func parse(source string) (parsed, error) {
	content, err := markdownOf(source)
	if bytes.HasPrefix(content, []byte("---\n")) { // a name and a description before the text
		_, content, _ = bytes.Cut(content[4:], []byte("\n---\n"))
	}
	context := parser.NewContext(parser.WithIDs(&anchors{seen: make(map[string]int)}))
	return parsed{content, markdown().Parser().Parse(text.NewReader(content), parser.WithContext(context))}, err
}

// anchors makes the anchors of headings as the repository's host does.
type anchors struct{ seen map[string]int }

func (a *anchors) Generate(heading []byte, _ ast.NodeKind) []byte {
	anchor := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, string(heading))
	n := a.seen[anchor]
	a.seen[anchor]++
	if n > 0 {
		anchor += "-" + strconv.Itoa(n)
	}
	return []byte(anchor)
}

func (a *anchors) Put([]byte) {}

// each visits the nodes of a type, parents first.
func each[N ast.Node](root ast.Node, visit func(N)) {
	// visiting does not fail
	ast.Walk(root, func(n ast.Node, first bool) (ast.WalkStatus, error) {
		if of, is := n.(N); is && first {
			visit(of)
		}
		return ast.WalkContinue, nil
	})
}

// plain returns the text of a node without its marks.
func (p parsed) plain(n ast.Node) string {
	var out strings.Builder
	each(n, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.Text:
			out.Write(n.Value(p.source))
			if n.SoftLineBreak() || n.HardLineBreak() {
				out.WriteByte(' ')
			}
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			out.Write(n.Lines().Value(p.source))
		case *extast.TableCell:
			out.WriteByte(' ')
		}
	})
	return strings.Join(strings.Fields(out.String()), " ")
}

// indexed returns the pages to which the index leads, below the headings of the second level.
func indexed(source string) (all []page) {
	index, err := parse(source)
	if err != nil { // the index is in the program
		panic(err)
	}
	group := ""
	each(index.root, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.Heading:
			group = index.plain(n)
		case *ast.Link:
			name := index.plain(n)
			all = append(all, page{source: path.Join(path.Dir(source), string(n.Destination)), name: strings.ToUpper(name[:1]) + name[1:], group: group})
		}
	})
	return all
}

// pageView is the data of the layout.
type pageView struct {
	Title, Version string
	Groups         []group
	Previous, Next *page
	Body           template.HTML
}

// group is a part of the left bar.
type group struct {
	Name  string
	Pages []entry
}

type entry struct {
	Name, Link string
	Current    bool
}

func (p page) Name() string { return p.name }
func (p page) Link() string { return p.slug + ".html" }

// render returns a page as HTML.
func (s *site) render(p page) ([]byte, error) {
	read, err := parse(p.source)
	if err != nil {
		return nil, err
	}
	s.relink(p, read.root)
	codeRows(read)
	var body, out bytes.Buffer
	if err := markdown().Renderer().Render(&body, read.source, read.root); err != nil {
		return nil, err
	}
	html := strings.NewReplacer("<table>", `<div class="scroll"><table class="data">`, "</table>", "</table></div>", "<pre>", `<pre tabindex="0">`, "<!-- raw HTML omitted -->\n", "").Replace(body.String())
	view := pageView{Title: cmp.Or(p.name, read.title()), Version: s.version, Body: template.HTML(html)}
	for i, other := range s.pages {
		if other.group == "" {
			break
		}
		if last := len(view.Groups) - 1; last < 0 || view.Groups[last].Name != other.group {
			view.Groups = append(view.Groups, group{Name: other.group})
		}
		last := &view.Groups[len(view.Groups)-1]
		last.Pages = append(last.Pages, entry{other.name, other.Link(), other.source == p.source})
		if other.source != p.source {
			continue
		}
		if i > 0 {
			view.Previous = &s.pages[i-1]
		}
		if i+1 < len(s.pages) && s.pages[i+1].group != "" {
			view.Next = &s.pages[i+1]
		}
	}
	err = layout().Execute(&out, view)
	return out.Bytes(), err
}

// title returns the first heading.
func (p parsed) title() (title string) {
	each(p.root, func(h *ast.Heading) {
		if title == "" {
			title = p.plain(h)
		}
	})
	return title
}

// relink leads the links of a page to the pages and pictures of the site, and other files of the repository to its host.
func (s *site) relink(p page, root ast.Node) {
	each(root, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.Link:
			n.Destination = []byte(s.target(p, string(n.Destination)))
		case *ast.Image:
			n.Destination = []byte(path.Base(string(n.Destination)))
		}
	})
}

func (s *site) target(p page, destination string) string {
	file, anchor, hasAnchor := strings.Cut(destination, "#")
	if file == "" || strings.Contains(file, ":") {
		return destination
	}
	if hasAnchor {
		anchor = "#" + anchor
	}
	source := path.Join(path.Dir(p.source), file)
	for _, other := range s.pages {
		if other.source == source {
			return other.Link() + anchor
		}
	}
	version := "HEAD"
	if released.MatchString(s.version) {
		version = s.version
	}
	return repository + version + "/" + source + anchor
}

// codeRows gives each row of a table whose first column is a code the code as its anchor.
func codeRows(p parsed) {
	each(p.root, func(row *extast.TableRow) {
		if p.plain(row.Parent().FirstChild().FirstChild()) == codeColumn {
			row.SetAttributeString("id", []byte(p.plain(row.FirstChild())))
		}
	})
}

// section is a part of a page in the index of the search.
type section struct {
	Page  string `json:"page"`
	Title string `json:"title"` // of the section
	Link  string `json:"link"`
	Text  string `json:"text"`
}

// searchIndex returns the script with the sections of all pages.
func (s *site) searchIndex() []byte {
	var all []section
	for _, p := range s.pages {
		read, err := parse(p.source)
		if err != nil { // the page is in the program
			panic(err)
		}
		one := section{Page: read.title(), Link: p.Link()}
		for n := read.root.FirstChild(); n != nil; n = n.NextSibling() {
			if h, is := n.(*ast.Heading); is {
				all = append(all, one)
				id, _ := h.AttributeString("id")
				anchor, _ := id.([]byte)
				one = section{Page: one.Page, Title: read.plain(h), Link: p.Link() + "#" + string(anchor)}
				continue
			}
			one.Text += read.plain(n) + " "
		}
		all = append(all, one)
	}
	filled := all[:0]
	for _, one := range all {
		if one.Text != "" {
			filled = append(filled, one)
		}
	}
	list, err := json.Marshal(filled)
	if err != nil { // texts do not fail
		panic(err)
	}
	return append(append([]byte("window.sections = "), list...), ";\n"...)
}
