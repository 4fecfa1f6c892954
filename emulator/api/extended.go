package api

import (
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// DecodeNewVerificationRequest decodes and validates the body of a new verification request and its header Request-Sync, which
// the spec does not show. Its error is an [*Error] with status 400.
func DecodeNewVerificationRequest(r *http.Request) (NewCredentialsSession, []Note, error) {
	return decodeBody(r, func(body *object) NewCredentialsSession {
		in := readSession(body, optional)
		in.Documents = readDocuments(body)
		in.BranchID, in.LoanID = body.optionalText("branch_id"), body.optionalText("loan_id")
		in.AdditionalInformation = body.optionalText("additional_information")
		in.readParameters(body)
		in.Sync = readSync(r.Header["Request-Sync"], in.Target.Company != nil, body.findings)
		body.noteUnknown()
		in.note(body.findings, "request")
		return in
	})
}

// readSync reads the lines of Request-Sync: async is the default, and sync is for a target without a company.
func readSync(lines []string, company bool, found *findings) bool {
	problem := ""
	switch {
	case len(lines) > 1:
		problem = "was sent " + strconv.Itoa(len(lines)) + " times: send it once"
	case len(lines) == 0 || lines[0] == "async":
	case lines[0] != "sync":
		problem = "must be sync or async, not " + Quote(lines[0]) + DidYouMean(lines[0], []string{"sync", "async"}, "")
	case company:
		problem = "is sync, which is for a target without a company: leave target.company out, or send async"
	default:
		return true
	}
	if problem != "" {
		found.problems.add(Note{Text: "the header Request-Sync " + problem})
	}
	return false
}

// readDocuments takes the names of files, whose contents must be base64 and are not stored.
func readDocuments(body *object) []string {
	list, _ := member[[]jsontext.Value](body, "documents", '[', optional)
	names, files := make([]string, 0, len(list)), &object{path: "documents.", members: map[string]jsontext.Value{}, findings: body.findings}
	for i, element := range list {
		number := strconv.Itoa(i)
		files.members[number] = element
		file, ok := files.object(number, required)
		if !ok {
			continue
		}
		names = append(names, file.text("filename"))
		parsed(file, "content", required, func(text string) (content []byte, err error) {
			if content, err = base64.StdEncoding.DecodeString(text); err != nil {
				err = errors.New("must be base64 (RFC 4648), with its padding")
			}
			return content, err
		})
		file.noteUnknown()
	}
	return names
}

// readParameters takes the request parameters, each of which may be left out.
func (in *NewCredentialsSession) readParameters(body *object) {
	parameters, ok := body.object("request_parameters", optional)
	if !ok {
		return
	}
	defer parameters.noteUnknown()
	in.EmployerFilter = enum[EmployerFilter](parameters, "employer_filter", optional)
	methods, ok := parameters.object("verification_methods", optional)
	if !ok {
		return
	}
	defer methods.noteUnknown()
	read := func(name string) (read VerificationMethod) {
		if method, ok := methods.object(name, optional); ok {
			read.Enabled, _ = member[bool](method, "enabled", 't', required)
			method.noteUnknown()
		}
		return read
	}
	in.Methods = &VerificationMethods{read("credentials"), read("instant"), read("smart_outreach")}
	if *in.Methods == (VerificationMethods{}) && len(body.findings.problems.listed) == 0 {
		parameters.problem("verification_methods", "must enable one of credentials, instant and smart_outreach")
	}
}

// DecodeReverification decodes the body of a reverification, which the spec does not show, and returns the id of a report. Its
// error is an [*Error] with status 400.
func DecodeReverification(r *http.Request) (report string, notes []Note, err error) {
	return decodeBody(r, func(body *object) string {
		defer body.noteUnknown()
		return body.text("report_id")
	})
}
