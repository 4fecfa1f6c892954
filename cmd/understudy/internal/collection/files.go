package collection

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// File is a file of a collection.
type File struct {
	Name string // in the folder of the collection
	Text string
}

// Formats are the formats of collections by name. A format of several files is written to a folder.
var Formats = map[string]func([]request) ([]File, error){"postman": postman, "bruno": bruno, "http": plain}

// Files returns the files of a collection in a format. With control its first request resets the world.
func Files(ctx context.Context, format string, control, extended bool) ([]File, error) {
	all, err := requests(ctx, control, extended)
	if err != nil {
		return nil, err
	}
	return Formats[format](all)
}

const title = "Understudy: magic values"

type object = map[string]any

// postman returns a collection of Postman, version 2.1.
func postman(all []request) ([]File, error) {
	type folder struct {
		Name string   `json:"name"`
		Item []object `json:"item"`
	}
	var folders []folder
	for _, r := range all {
		if len(folders) == 0 || folders[len(folders)-1].Name != r.subject {
			folders = append(folders, folder{Name: r.subject})
		}
		headers := []object{}
		for _, h := range r.headers() {
			headers = append(headers, object{"key": h[0], "value": h[1]})
		}
		item := object{"method": r.method, "url": "{{url}}" + r.path, "header": headers, "description": r.title}
		if r.body != "" {
			item["body"] = object{"mode": "raw", "raw": indented(r.body), "options": object{"raw": object{"language": "json"}}}
		}
		test := fmt.Sprintf("pm.test('answers %d', () => pm.response.to.have.status(%[1]d))", r.status)
		in := &folders[len(folders)-1].Item
		*in = append(*in, object{"name": r.name, "request": item, "event": []object{{"listen": "test", "script": object{"type": "text/javascript", "exec": []string{test}}}}})
	}
	var values []object
	for _, v := range variables {
		values = append(values, object{"key": v[0], "value": v[1]})
	}
	text, err := json.Marshal(object{
		"info":     object{"name": title, "schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"},
		"auth":     object{"type": "bearer", "bearer": []object{{"key": "token", "value": "{{key}}", "type": "string"}}},
		"variable": values,
		"item":     folders,
	}, json.Deterministic(true), jsontext.WithIndent("  "))
	return []File{{"understudy.postman_collection.json", string(text) + "\n"}}, err
}

// bruno returns a collection of Bruno: a folder with a file for each request.
func bruno(all []request) ([]File, error) {
	about, err := json.Marshal(object{"version": "1", "name": title, "type": "collection"}, json.Deterministic(true))
	var vars strings.Builder
	for _, v := range variables {
		fmt.Fprintf(&vars, "  %s: %s\n", v[0], v[1])
	}
	files := []File{
		{"bruno.json", string(about) + "\n"},
		{"collection.bru", "auth {\n  mode: bearer\n}\n\nauth:bearer {\n  token: {{key}}\n}\n\nvars:pre-request {\n" + vars.String() + "}\n"},
	}
	for i, r := range all {
		body := "none"
		if r.body != "" {
			body = "json"
		}
		var text strings.Builder
		fmt.Fprintf(&text, "meta {\n  name: %s\n  type: http\n  seq: %d\n}\n\n", r.name, i+1)
		fmt.Fprintf(&text, "%s {\n  url: {{url}}%s\n  body: %s\n  auth: inherit\n}\n\n", strings.ToLower(r.method), r.path, body)
		text.WriteString("headers {\n")
		for _, h := range r.headers() {
			fmt.Fprintf(&text, "  %s: %s\n", h[0], h[1])
		}
		text.WriteString("}\n\n")
		if r.body != "" {
			fmt.Fprintf(&text, "body:json {\n  %s\n}\n\n", strings.ReplaceAll(indented(r.body), "\n", "\n  "))
		}
		fmt.Fprintf(&text, "assert {\n  res.status: eq %d\n}\n\ndocs {\n  %s\n}\n", r.status, r.title)
		files = append(files, File{fmt.Sprintf("%s/%03d %s.bru", r.subject, i, r.name), text.String()})
	}
	return files, err
}

// plain returns an .http file, which editors send from.
func plain(all []request) ([]File, error) {
	var text strings.Builder
	for _, v := range variables {
		fmt.Fprintf(&text, "@%s = %s\n", v[0], v[1])
	}
	for _, r := range all {
		fmt.Fprintf(&text, "\n### %s: answers %d\n# %s\n%s {{url}}%s\nAuthorization: Bearer {{key}}\n", r.name, r.status, r.title, r.method, r.path)
		for _, h := range r.headers() {
			fmt.Fprintf(&text, "%s: %s\n", h[0], h[1])
		}
		if r.body != "" {
			text.WriteString("\n" + indented(r.body) + "\n")
		}
	}
	return []File{{"understudy.http", text.String()}}, nil
}

// headers returns the headers of a request but for its key.
func (r request) headers() (all [][2]string) {
	if r.accept != "" {
		all = append(all, [2]string{"Accept", r.accept})
	}
	if r.body != "" {
		all = append(all, [2]string{"Content-Type", "application/json"})
	}
	return all
}

// indented returns a JSON text in lines.
func indented(body string) string {
	text := jsontext.Value(body)
	if err := text.Indent(jsontext.WithIndent("  ")); err != nil {
		panic(err) // a sample is JSON
	}
	return string(text)
}
