package scenarios

import (
	"reflect"
	"strings"
)

// keyDoc documents a key: refusals show the example, the JSON Schema shows both.
type keyDoc struct{ example, text string }

// keyDocs documents every key of the language, by the Go type that has it. A test decodes the examples.
var keyDocs = map[string]keyDoc{
	"Scenario.name":                 {"slow-approval", "The scenario's name, which is unique: 1 to 64 characters of a-z 0-9 . _ -, of which the first is a letter or a digit."},
	"Scenario.title":                {"The target approves late", "One line that tells people what the scenario shows."},
	"Scenario.matrix":               {"{state: [processing, completed]}", "Variables and their values: the document stands for one scenario for each combination, up to 1,000. <state> stands for a value, <state_> for it with underscores in place of dashes."},
	"Scenario.magic":                {"{verification_request: vr_slow_approval}", "The magic values that lead to the scenario. Without any, or with api_key alone, its rules apply to every call."},
	"Scenario.replaces":             {"lifecycle", "The name of the scenario whose place this one takes, or several: needed to have a name or a magic value of theirs. What else leads to them is gone."},
	"Scenario.verification_request": {"{type: employment-income}", "What the verification request looks like and which states it goes through."},
	"Scenario.qualification_check":  {"{kind: applicant, rent: 1450.00}", "What the qualification check evaluates. Its outcome is computed."},
	"Scenario.tenant_property":      {"{set: {name: Quay House}}", "What the tenant property looks like."},
	"Given.person":                  {"{last_name: Example, date_of_birth: 1990-04-01}", "The person of the verification request or qualification check. What is left out is generated to fit. A credentials session's target comes first, member by member."},
	"Given.company":                 {"{id: 4711, name: Example Freight}", "The company that employs the person: the first report is of it. What is left out is generated. A credentials session's company comes first."},
	"Scenario.reports":              {"[{employee: {status_detail: part-time}, pay: {rate: 21.50}}]", "The reports of the verification request or qualification check: 1 to 20. Default: one."},
	"Scenario.rules":                {"[{on: cancel, respond: {status: 500}}]", "Rules that change how calls are answered. They are read from top to bottom, and the first that answers ends the search."},
	"Settings.grease":               {"values", "What changes in answers although no client may rely on it: off, on, or values, which also puts unknown words where an enumeration may grow. For the worlds of the keys of api_key, of all without it."},
	"Settings.session_flow":         {"manual", "Who uses the token of a credentials session: auto, the emulator at once, or manual, the client's user. For the sessions of the number of ssn, or the worlds of the keys of api_key."},
	"Settings.account":              {"{types: [employment-income], reseller: false}", "What the client's account may do; a key that is left out allows everything. For the worlds of the keys of api_key, of all without it."},
	"Scenario.$schema":              {"schema.json", "The JSON Schema of the file, for editors. It is ignored."},

	"Account.types":                {"[employment-income]", "The types of verifications that the account may ask for. Default: all."},
	"Account.use_cases":            {"[mortgage]", "The use cases of the account. Default: all."},
	"Account.permissible_purposes": {"[credit-application]", "The permissible purposes of the account. Default: all."},
	"Account.reseller":             {"false", "Whether the account is a reseller's, whose sessions need a reseller_originating_party; other accounts' may not have one. Default: both may be."},

	"Magic.verification_request": {"vr_slow_approval", "The id of a verification request: 1 to 128 characters of A-Z a-z 0-9 . _ ~ -."},
	"Magic.tenant_property":      {"tp_archived", "The id of a tenant property: 1 to 128 characters of A-Z a-z 0-9 . _ ~ -."},
	"Magic.qualification_check":  {"qc_tight", "The id of a qualification check: 1 to 128 characters of A-Z a-z 0-9 . _ ~ -."},
	"Magic.ssn":                  {"000-00-7007", "The social security number in a credentials session, of those that were never issued to a person; any stands for every number that no other scenario names."},
	"Magic.api_key":              {`"*_down"`, "A pattern for what follows sk_test_ in the API key: * stands for any text. The rules apply to every call with such a key."},

	"VerificationRequest.timeline":                 {"[{state: pending-approval}, {state: processing, after: {reads: 2}}]", "The states that the request goes through. Default: completed from the start."},
	"VerificationRequest.completed":                {"90 days ago", "The day on which a request without a timeline was completed, at most ten years before the world began. Default: the day on which it began."},
	"VerificationShape.type":                       {"employment-income", "What is verified. Default: employment-income."},
	"VerificationShape.use_case":                   {"mortgage", "The product that the verification is for. Default: mortgage."},
	"VerificationShape.permissible_purpose":        {"credit-application", "The legal ground of the verification. Default: credit-application."},
	"VerificationShape.pricing_tier":               {"instant", "How the reports are obtained. Default: instant. Reports obtained by credentials have no respondent."},
	"VerificationShape.turnaround":                 {"none", "Whether the turnaround time is estimated. Default: given."},
	"VerificationShape.documents":                  {"[authorization.pdf]", "The names of the uploaded files. Default: one authorization."},
	"VerificationShape.metadata":                   {`{case: "7"}`, "The client's own texts by name. Default: null."},
	"VerificationShape.reseller_originating_party": {"{originating_party: Example Home Loans, use_case: mortgage, permissible_purpose: credit-application}", "The customer for whom a reseller asks. Default: null."},
	"VerificationShape.employer_filter":            {"all-employers", "Which employers the request asks about. Default: target-employer, and all-employers with several reports, each of which is of another employer. With target-employer all reports are of the target's company."},
	"VerificationShape.set":                        {"{loan_id: null}", "Fields of the verification request by their names in the API. Objects are merged, lists are replaced, null is null."},
	"VerificationShape.set_canceled":               {"{cancellation_reason: no-match}", "Fields of the answer to a cancel by their names in the API, also those that only this answer has: state other and cancellation_reason no-match. The request keeps the reason and the details; a read shows no-match as other."},
	"ResellerOriginatingParty.originating_party":   {"Example Home Loans", "The name of the reseller's customer."},
	"ResellerOriginatingParty.permissible_purpose": {"credit-application", "The legal ground of the customer's request."},
	"ResellerOriginatingParty.use_case":            {"mortgage", "The customer's product."},
	"Step.state":                                   {"processing", "The state of the request in this step."},
	"Step.after":                                   {"{elapsed: 10m}", "What leads from the step before to this one: one of reads, elapsed and manual. The first step has none."},
	"Step.cancellation_reason":                     {"wrong-info", "Why the request was canceled. Only for the state canceled. Default: other, as when the service cancels."},
	"Step.cancellation_details":                    {"The employer does not know the target.", "More about the reason. Only for the state canceled. Default: null, without a reason that of the service."},
	"After.reads":                                  {"2", "The number of reads that show the step before: 1 or more."},
	"After.elapsed":                                {"10m", "How long the step before lasts on the world's clock."},
	"After.manual":                                 {"true", "The step begins when somebody changes the state through the control plane or the console."},
	"QualificationShape.kind":                      {"applicant", "Whose income is evaluated. Default: applicant."},
	"QualificationShape.type":                      {"tenant-screening", "The type of the reports. Default: tenant-screening. The types employment and assets have no income."},
	"QualificationShape.rent":                      {"1450.00", "The rent a month in USD, up to 1000000000.00. Default: 1850.00."},
	"QualificationShape.documents":                 {"[paystub, w-2]", "The types of the files that count as proof of income in every report. Default: null."},
	"QualificationShape.set":                       {"{result: {outcome: qualified}}", "Fields of the qualification check by their names in the API; what is not set follows from them. Objects are merged, lists are replaced, null is null; a mapping in place of a list changes elements by their numbers, from 0."},
	"TenantPropertyShape.set":                      {"{name: Quay House, status: archived}", "Fields of the tenant property by their names in the API."},
	"ReportShape.employee":                         {"{status_detail: part-time, hired: 420 days ago}", "The employment."},
	"ReportShape.pay":                              {"{frequency: biweekly, base: 62000.00}", "What the employee is paid."},
	"ReportShape.later":                            {"{event: terminated, on: in 45 days}", "An event after the world began, for those who verify again. With it, as in sessions, the days of the employment are counted back from the day on which the world began. Default: none."},
	"laterShape.event":                             {"terminated", "What happens: the employment has ended (terminated), has ended in favor of one at another employer (changed_employer), or is on leave (on_leave)."},
	"laterShape.on":                                {"in 45 days", "The day of the event, counted from the day on which the world began; the working day after it."},
	"Person.first_name":                            {"Ada", "The first name. Default: generated."},
	"Person.last_name":                             {"Example", "The last name. Default: generated."},
	"Person.last_four":                             {`"0451"`, "The last four digits of the social security number. Default: generated."},
	"Person.date_of_birth":                         {"1990-04-01", "The day of birth. Nobody is hired before 16. Default: generated to fit the employment."},
	"Person.email":                                 {"ada@example.com", "The e-mail address of target and employee. Default: generated from the names."},
	"Person.phone":                                 {"212-555-0100", "The telephone number. Default: generated."},
	"Company.id":                                   {"4711", "The company's id. Default: generated."},
	"Company.name":                                 {"Example Freight", "The company's name. Default: generated."},
	"Company.address":                              {"1 Quay Street, Duluth, MN 55802", "The address. Default: generated, unless a city, a state or a ZIP code is given."},
	"Company.city":                                 {"Duluth", "The city. Default: generated, unless an address, a state or a ZIP code is given."},
	"Company.state":                                {"MN", "The state. Default: generated, unless an address, a city or a ZIP code is given."},
	"Company.zip_code":                             {`"55802"`, "The ZIP code. Default: generated, unless an address, a city or a state is given."},
	"Company.phone_number":                         {"218-555-0100", "The telephone number. Default: generated."},
	"ReportShape.disputes":                         {"[{description: The hire date is wrong., opened: 12 days ago}]", "Open disputes: up to 20. Default: none."},
	"ReportShape.pricing_tier":                     {"instant", "How the report was obtained. Default: the request's."},
	"ReportShape.missing":                          {"[hours, period-ends]", "What the payroll does not send: the hours or the period-ends of all paystubs, the paystubs of a month between others, or the earnings of the year before the latest. Default: nothing."},
	"ReportShape.set":                              {"{respondent: null}", "Fields of the report by their names in the API. Objects are merged, lists are replaced, null is null; a mapping in place of a list changes elements by their numbers, from 0."},
	"disputeShape.description":                     {"The hire date is wrong.", "What the employee disputes. Default: generated."},
	"disputeShape.opened":                          {"12 days ago", "The day on which the dispute was opened. Default: generated."},
	"EmployeeShape.status_detail":                  {"part-time", "The employment status in detail. Default: full-time, or what the employment type implies."},
	"EmployeeShape.employment_type":                {"regular-part-time", "The employment type. Default: regular-full-time, or what the status detail implies."},
	"EmployeeShape.title":                          {"Archivist", "The title of the latest position. Default: generated."},
	"EmployeeShape.hired":                          {"420 days ago", "The day of the first hire, in the last 45 years, also as a date such as 2022-01-10; a future-employee's is still to come. Default: generated."},
	"EmployeeShape.rehired":                        {"200 days ago", "The day of the hire after a break, at least 30 days after the first. Default: no break."},
	"EmployeeShape.on_leave":                       {"30 days ago", "The day on which the leave began. Only for a status detail that is a leave."},
	"EmployeeShape.terminated":                     {"20 days ago", "The last day of the employment. Only for a status detail that is inactive."},
	"EmployeeShape.positions":                      {"2", "The number of positions since the latest hire: 1 to 5. With steps of the pay they begin with the latest steps. Default: 1, or 2 for multiple-positions and transferred."},
	"EmployeeShape.leaves":                         {"[{from: 200 days ago, to: 120 days ago, pay: 0.6}]", "Past leaves in time order, up to 20: the employee works again after each. Default: none."},
	"EmployeeShape.workdays":                       {"true", "Whether the given days hired, rehired, on_leave and terminated are workdays: one on a weekend or a bank holiday means the workday before. Without it they are exact."},
	"EmployeeShape.seasonal":                       {"true", "Whether the employee is hired anew each year for the paid months, which then end in August: a position for each season, and temp-inactive between two. It needs months_per_year, and determines status detail, days and positions."},
	"absenceShape.from":                            {"200 days ago", "The first day of the leave."},
	"absenceShape.to":                              {"120 days ago", "The last day of the leave."},
	"absenceShape.pay":                             {"0.6", "The share of base and hours that is paid during the leave, from 0.1 to 1. Default: 0, which has no paystubs."},
	"stepShape.from":                               {"400 days ago", "The day: the raise is paid from the first pay period that begins then or later."},
	"stepShape.by":                                 {"1.25", "The amount of the raise in USD: for an hour of hourly pay, otherwise for a year."},
	"PayShape.frequency":                           {"biweekly", "How often the employee is paid. Default: biweekly, or hourly with a rate."},
	"PayShape.base":                                {"62000.00", "The pay of a year in USD, from 1000.00 to 100000000.00. It excludes rate. Default: generated."},
	"PayShape.rate":                                {"21.50", "The pay of an hour in USD, from 1.00 to 10000.00. It excludes base, and makes the frequency hourly. Default: generated."},
	"PayShape.hours_per_week":                      {"37.5", "The hours of a week, from 1 to 80 with up to two decimals. Default: 40, or fewer in part time."},
	"PayShape.months_per_year":                     {"10", "The months of a year that are paid: 1 to 12. Default: 12. The last months before September are the unpaid ones."},
	"PayShape.overtime":                            {"occasional", "How often overtime is paid. Default: none, or occasional for hourly pay in full time."},
	"PayShape.bonus":                               {"regular", "How often a bonus is paid. Default: none, or occasional for a salary in full time."},
	"PayShape.commission":                          {"occasional", "How often commission is paid. Default: none, or regular for variable pay."},
	"PayShape.other":                               {"occasional", "How often other income is paid. Default: none."},
	"PayShape.variation":                           {"0.08", "How far the pay of a period may differ from the usual, as a ratio from 0 to 0.9 with up to four decimals. It varies hours, variable pay and extras, but no salary and no bonus. Variable pay is above the usual and below it by turns, by half the ratio at least."},
	"PayShape.raise":                               {"0.03", "The raise of every year, as a ratio from 0 to 0.5 with up to four decimals. Default: none."},
	"PayShape.provider_changed":                    {"120 days ago", "The day from which another payroll provider pays: the reference ids of paystubs have another form from then on. At most 45 years ago. Default: no change."},
	"PayShape.steps":                               {"[{from: 400 days ago, by: 1.25}, {from: 35 days ago, by: 0.75}]", "Agreed raises in time order, up to 20. Base and rate are what is paid after them. With several positions the latest steps are the promotions. Default: none."},
	"PayShape.extra_period":                        {"true", "Whether one of the last three calendar years has 27 biweekly or 53 weekly pay dates, on another weekday than usual for the employer. The pay of a period remains the same. For people who are paid today and in every month."},
	"PayShape.other_per_day":                       {"59.00", "The usual other income of a working day in USD, such as tips or a per diem, from 1.00 to 10000.00. It makes other regular by default, and the same every day without variation. Default: 7.00."},
	"PayShape.paystubs":                            {"26", "The number of paystubs at most: 0 to 520. Default: those of a year, at most 52. A shorter employment has fewer."},

	"PayShape.events": {"[{kind: reversal, on: 20 days ago}]", "What changes pay once: up to 20 events. Default: none."},
	"payEvent.kind":   {"retroactive", "What happens. Paystubs of their own: retroactive (base for the two periods before), off-cycle-bonus, reversal (a negative paystub takes back the one before, and a correction pays it with the overtime that was missing). In regular paystubs: clawback (negative bonus from the day on, until the amount is paid back), unused-leave (other pay in the last paystub of an employment that has ended), garnishment (from the day on, in net only)."},
	"payEvent.amount": {"850.00", "The amount in USD, from 1.00 to 10000000.00: of garnishment in each paystub, at most a quarter of what taxes leave. Default: a share of a period's base; for unused-leave 40 hours' pay, for garnishment 15 % of what taxes leave."},
	"payEvent.on":     {"40 days ago", "The day, at least two pay periods and 14 days after the latest hire. Default: 40 days ago. Not for unused-leave."},
	"QualificationShape.applicant_rent_to_income_ratio": {"0.3500", "The greatest ratio of rent to monthly income that qualifies an applicant, above 0. Default: 0.4000."},
	"QualificationShape.guarantor_rent_to_income_ratio": {"0.2500", "The greatest ratio of rent to monthly income that qualifies a guarantor, above 0. Default: 0.2000."},
	"QualificationShape.income_multiple":                {"3.00", "The applicant's threshold inverted, above 0: a deprecated field. It excludes applicant_rent_to_income_ratio. Default: 2.50."},

	"Rule.on":          {"get", "The operation that is called: get (read), cancel, update or create, or any of them; of resources of one kind with the kind after it, as in get qualification_check."},
	"Rule.state":       {"[processing, completed]", "The states in which the call finds its verification request. Default: any."},
	"Rule.calls":       {"2-3", "The calls by their number, counted from 1: one (1), a range (2-3) or all from one on (4-). Default: all."},
	"Rule.every":       {"5", "Every n-th call: 5 is the fifth, the tenth and so on. Default: each."},
	"Rule.probability": {"0.1", "The probability that the rule applies to a call, above 0 and up to 1. It is drawn from the seed: the same calls in every run."},
	"Rule.times":       {"3", "How often the rule applies at most. Default: without limit."},
	"Rule.between":     {"[2h, 3h]", "The time in which the rule applies, on the world's clock and counted from the world's beginning: from the first span to before the second."},
	"Rule.limit":       {"10/s", "The rate above which the rule applies, on the world's clock. It answers 429 unless respond says otherwise."},
	"Rule.delay":       {"{fixed: 500ms}", "How long the answer is delayed, in real time: one of fixed, between and lognormal. At most 10m."},
	"Rule.respond":     {"{status: 500}", "What is answered: an error, or what a proxy or a tired service sends. Without status the call is carried out and the headers of its answer change."},
	"Rule.fault":       {"connection-reset", "The fault of the connection: connection-reset and empty prevent the call, truncated, malformed and dribble damage the answer."},
	"Response.status":  {"500", "The status: 200 to 599. Below 400 it needs a body."},
	"Response.message": {"Slow down", "The message of the error. Default: the usual one for the status."},
	"Response.body":    {"none", "The body as it is sent, up to 64 KiB, or none. Default: the error with its message."},
	"Response.omit":    {"[Retry-After]", "Headers that are not sent: Content-Type, Date, Retry-After, WWW-Authenticate."},
	"Response.dates":   {"{Retry-After: 30s}", "Headers with an HTTP date, by name: how long after the time of the world's clock."},

	"Response.content_type": {"text/html", "The Content-Type, up to 1,000 characters. Default: application/json, and none without a body."},

	"Response.headers": {`{Retry-After: "1"}`, "Headers by name, added to the usual ones or in their place: up to 64 characters of name and 1,000 of value."},
	"delay.fixed":      {"500ms", "The same delay for every call, up to 10m."},
	"delay.between":    {"[50ms, 250ms]", "The shortest and the longest delay, up to 10m. All between them are equally likely."},
	"delay.lognormal":  {"{median: 80ms, sigma: 0.4}", "Delays as services have them: most are short, a few are long."},
	"logNormal.median": {"80ms", "The delay that half of the calls exceed, up to 10m."},
	"logNormal.sigma":  {"0.4", "The standard deviation of the logarithm, above 0 and up to 5: 0.4 puts 95 % within a factor of 2.2 of the median."},
	"logNormal.max":    {"2s", "The longest delay, from the median to 10m. Default: 10m."},
}

// formOf returns how a key of a Go type is written, such as after: {elapsed: 10m}; "" for keys without documentation.
func formOf(owner reflect.Type, key string) string {
	doc, ok := keyDocs[owner.Name()+"."+key]
	if !ok {
		return ""
	}
	return key + ": " + doc.example
}

// literals replaces texts by the literals of JSON, which [inJSON] does not write.
var literals = strings.NewReplacer(`:"true"`, ":true", `:"null"`, ":null")

// formInJSON writes a form in JSON, such as "after":{"elapsed":"10m"}.
func formInJSON(form string) string {
	nodes, problems := readYAML("", []byte(form))
	if len(problems) > 0 || len(nodes) != 1 {
		return form
	}
	if strings.HasPrefix(form, "{") { // an item of a list
		return literals.Replace(inJSON(nodes[0]))
	}
	return literals.Replace(strings.TrimSuffix(strings.TrimPrefix(inJSON(nodes[0]), "{"), "}"))
}
