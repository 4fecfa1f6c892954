package surface_test

// errorStatuses are the statuses of spec 7, and errorAnswers with their messages. A session has no 404.
const (
	errorStatuses   = `<400|401|403|406|429|451|500|501|404>`
	errorAnswers    = `<` + sessionErrors + `|404 Not Found>`
	sessionStatuses = `<400|401|403|406|429|451|500|501>`
	sessionErrors   = `400 Invalid field values provided|401 Authorization is missing, invalid or expired|403 Forbidden|406 An invalid API version was requested|429 Too Many Requests|451 The social security number is frozen|500 Internal server error|501 Not Implemented`
)

const spec4 = `
4 an unknown path is 404
	GET /verification-request/vr_completed → 404 Not Found
4 a known path has its methods only
	DELETE /verification-requests/vr_completed → 405 Method Not Allowed | this path allows GET only
4 a trailing slash is the same path
	GET /verification-requests/vr_completed/ → 200 id=vr_completed
4 operations that are not shown are 501
	GET /<verification-requests|verification-requests/|tenant-properties|qualification-checks> → 501 Not Implemented
	GET /<reports|reports/rep_1|verification-requests/vr_completed/reports|verification-requests/vr_completed/reports/rep_1> → 501 Not Implemented
	POST /<verification-requests|verification-requests/|tenant-properties|qualification-checks> → 501 Not Implemented | POST /_understudy/v1/
4 a 501 says what to use instead
	GET /tenant-properties/tp_default → 501 Not Implemented | the specification does not describe this operation: GET /_understudy/v1/tenant-properties/{id} shows the property
	GET /verification-requests/vr_completed/report → 501 Not Implemented | GET /verification-requests/{id} has the reports of a completed request
	PUT /verification-requests/vr_completed/reverify → 501 Not Implemented | POST /_understudy/v1/verification-requests creates another request
	GET /companies → 501 Not Implemented | POST /credentials/session takes every name and every id as target.company
	GET /orders/1/items → 501 Not Implemented | POST /credentials/session creates a verification request of a person
	GET /qualification-check-sets/1 → 501 Not Implemented | POST /_understudy/v1/qualification-checks creates a check
	GET /webhooks → 501 Not Implemented | POST /_understudy/v1/webhooks subscribes a URL
4 unknown query parameters are ignored and diagnosed
	GET /qualification-checks/qc_qualified?verbose=1 → 200 | unknown query parameter "verbose" was ignored

4.1 cancel of a request that is not terminal is 200
	PUT /verification-requests/vr_<pending_approval|action_required|processing|lifecycle>/cancel {"cancellation_reason":"wrong-info"} → 200 state=canceled cancellation_reason=wrong-info
4.1 cancel of a terminal request is 403
	PUT /verification-requests/vr_<completed|canceled|invalid>/cancel {"cancellation_reason":"other"} → 403 The verification request cannot be canceled | the request is <completed|canceled|invalid>, which is terminal: nothing was changed
4.1 a second cancel is 403
	PUT /verification-requests/vr_processing/cancel {"cancellation_reason":"other"} → 200
	PUT /verification-requests/vr_processing/cancel {"cancellation_reason":"other"} → 403 The verification request cannot be canceled
4.1 cancel of an unknown request is 400
	PUT /verification-requests/vr_nothing/cancel {"cancellation_reason":"other"} → 400 Verification not found
4.1 cancellation_reason is required
	PUT /verification-requests/vr_processing/cancel {} → 400 Invalid field values provided | cancellation_reason is required
	PUT /verification-requests/vr_processing/cancel {"cancellation_reason":null} → 400 Invalid field values provided | cancellation_reason may not be null
4.1 cancellation_details are optional
	PUT /verification-requests/vr_processing/cancel {"cancellation_reason":"other"<|,"cancellation_details":null|,"cancellation_details":""|,"cancellation_details":"one & ü">} → 200 …"cancellation_details":<null|null|""|"one & ü">}
4.1 each error status
	PUT /verification-requests/vr_error_` + errorStatuses + `/cancel {"cancellation_reason":"other"} → ` + errorAnswers + `
	PUT /verification-requests/vr_cancel_error_` + errorStatuses + `/cancel {"cancellation_reason":"other"} → ` + errorAnswers + `
	GET /verification-requests/vr_cancel_error_` + errorStatuses + ` → 200 state=processing

4.2 a read returns the request
	GET /verification-requests/vr_completed → 200 id=vr_completed state=completed reports.#=1
4.2 a read of an unknown request is 400
	GET /verification-requests/vr_compelted → 400 Verification not found | did you mean vr_completed?
4.2 fields selects keys in the order of the resource
	GET /verification-requests/vr_completed?fields=state,id → 200 {"id":"vr_completed","state":"completed"}
	GET /verification-requests/vr_completed?fields= → 200 …"target":{
4.2 unknown fields are ignored and diagnosed
	GET /verification-requests/vr_completed?fields=id,stat → 200 {"id":"vr_completed"} | fields: unknown name "stat" was ignored: did you mean state?
4.2 income_analytics is a boolean
	GET /verification-requests/vr_completed?income_analytics=<true|TRUE|1|false|0> → 200 reports.0.income_analytics=<*|*|*|null|null>
	GET /verification-requests/vr_completed?income_analytics=<maybe|yes|2|t|no> → 400 Invalid field values provided | income_analytics must be true, false, 1 or 0
4.2 each error status
	GET /verification-requests/vr_error_` + errorStatuses + ` → ` + errorAnswers + `

4.3 an update replaces the property
	PUT /tenant-properties/tp_default {"name":"Quay House","address_line_1":"1 Quay","address_line_2":"Floor 2","address_line_3":"Rear","city":"Portland","postal_code":"97201","state":"OR"} → 200 {"id":"tp_default","name":"Quay House","address_line_1":"1 Quay","address_line_2":"Floor 2","address_line_3":"Rear","city":"Portland","postal_code":"97201","state":"OR","status":"active"}
	PUT /tenant-properties/tp_default {"name":"Quay","city":null} → 200 {"id":"tp_default","name":"Quay","address_line_1":null,"address_line_2":null,"address_line_3":null,"city":null,"postal_code":null,"state":null,"status":"active"}
4.3 an update of an unknown property is 404
	PUT /tenant-properties/tp_nothing {"name":"Quay"} → 404 Tenant property not found
4.3 name is required and not blank
	PUT /tenant-properties/tp_default {<|"name":null|"name":""|"name":7>} → 400 Invalid field values provided | name <is required|may not be null|may not be blank|must be a string, not a number>
4.3 the other keys are strings or null
	PUT /tenant-properties/tp_default {"name":"Quay","<address_line_1|address_line_2|address_line_3|city|postal_code|state>":["b"]} → 400 Invalid field values provided | <address_line_1|address_line_2|address_line_3|city|postal_code|state> must be a string, not an array
4.3 each error status
	PUT /tenant-properties/tp_error_` + errorStatuses + ` {"name":"Quay"} → ` + errorAnswers + `

4.4 a session leads to a verification request
	POST /credentials/session SESSION{"metadata":{"case":"7"}} → 201
	GET /verification-requests/{vr} → 200 state=completed type=employment-income use_case=mortgage target.first_name=Ada target.date_of_birth=1990-02-28 target.company.name="Example Mill" metadata.case=7
4.4 required keys
	POST /credentials/session SESSION{"<permissible_purpose|target|type|use_case>":"ABSENT"} → 400 Invalid field values provided | <permissible_purpose|target|type|use_case> is required
	POST /credentials/session SESSION{"<permissible_purpose|target|type|use_case>":null} → 400 Invalid field values provided | <permissible_purpose|target|type|use_case> may not be null
4.4 required keys of the target
	POST /credentials/session SESSION{"target":{"<first_name|last_name|social_security_number>":"ABSENT"}} → 400 Invalid field values provided | target.<first_name|last_name|social_security_number> is required
4.4 names are not blank
	POST /credentials/session SESSION{"target":{"<first_name|last_name>":" "}} → 400 Invalid field values provided | target.<first_name|last_name> may not be blank
4.4 a social security number has nine digits
	POST /credentials/session SESSION{"target":{"social_security_number":"<000123456|000-12-3456>"}} → 201
	POST /credentials/session SESSION{"target":{"social_security_number":"<12345678|000-123-456>"}} → 400 Invalid field values provided | target.social_security_number must be a social security number: nine digits, or 000-00-0000
4.4 date_of_birth is a date
	POST /credentials/session SESSION{"target":{"date_of_birth":"28.02.1990"}} → 400 Invalid field values provided | target.date_of_birth is not a date of the form YYYY-MM-DD
4.4 date_of_birth for employer search
	POST /credentials/session SESSION{"target":{"date_of_birth":null,"company":null}} → 201 | target.date_of_birth is required for employer search
	POST /credentials/session SESSION{"target":{"date_of_birth":null}} → 201
4.4 a company has a name or an id
	POST /credentials/session SESSION{"target":{"company":<{"name":"Mill","city":null}|{"id":"7","state":"OR"}|null>}} → 201
	POST /credentials/session SESSION{"target":{"company":<{}|{"name":"Mill","id":"7"}|{"id":7}>}} → 400 Invalid field values provided | target.company<.name is required| must have a name or an id, not both|.id must be a string, not a number>
4.4 metadata is empty by default
	POST /credentials/session SESSION{} → 201
	GET /verification-requests/{vr} → 200 …"metadata":{}
	POST /credentials/session SESSION{"metadata":null} → 201
	GET /verification-requests/{vr} → 200 metadata=null
4.4 reseller_originating_party is diagnosed
	POST /credentials/session SESSION{"reseller_originating_party":{"originating_party":"Broker","permissible_purpose":"employment","use_case":"auto"}} → 201 | reseller_originating_party must not be given for non-reseller requests
	GET /verification-requests/{vr} → 200 reseller_originating_party.originating_party=Broker
	POST /credentials/session SESSION{"reseller_originating_party":null} → 201 | reseller_originating_party is null, but reseller requests require it
4.4 keys of reseller_originating_party
	POST /credentials/session SESSION{"reseller_originating_party":{}} → 400 Invalid field values provided | reseller_originating_party.originating_party is required; reseller_originating_party.permissible_purpose is required; reseller_originating_party.use_case is required
4.4 each error status
	POST /credentials/session SESSION(000-00-0` + sessionStatuses + `) → <` + sessionErrors + `>

4.5 a read returns the check
	GET /qualification-checks/qc_qualified → 200 id=qc_qualified result.outcome=qualified
4.5 a read of an unknown check is 404
	GET /qualification-checks/qc_nothing → 404 Qualification check not found
4.5 each error status
	GET /qualification-checks/qc_error_` + errorStatuses + ` → ` + errorAnswers + `
`

const spec5 = `
5.1 bearer authorization
	Authorization: bearer svc_sk_test_spec
	GET /verification-requests/vr_completed → 200
	Authorization: Basic c3ZjX3NrX3Rlc3RfYQ==
	GET /verification-requests/vr_completed → 401 Authorization is missing, invalid or expired | the scheme must be Bearer
5.2 only sandbox secret keys are accepted
	Authorization: Bearer svc_sk_live
	GET /verification-requests/vr_completed → 401 Authorization is missing, invalid or expired | a production key is never accepted here
	Authorization: Bearer abc_sk_test_spec
	GET /verification-requests/vr_completed → 401 Authorization is missing, invalid or expired | the key must begin with svc_sk_test_: put svc in place of abc, or serve with --key-prefix abc
	Authorization: Bearer undefined
	GET /verification-requests/vr_completed → 401 Authorization is missing, invalid or expired | the key is empty or undefined
	Authorization: Bearer svc_sk_test_
	GET /verification-requests/vr_completed → 401 Authorization is missing, invalid or expired | come 1 to 128 characters
5.2 a publishable key is 403
	Authorization: Bearer svc_pk_<test_spec|spec>
	GET /verification-requests/vr_completed → 403 Forbidden | a publishable key is for the browser
5.4 the key without Bearer is 401
	Authorization: svc_sk_test_spec
	GET /verification-requests/vr_completed → 401 Authorization is missing, invalid or expired
5.5 missing authorization is 401
	Authorization:
	GET /verification-requests/vr_completed → 401 Authorization is missing, invalid or expired
5.5 expired and revoked keys are 401
	Authorization: Bearer svc_sk_test_<expired|revoked|expired_7>
	GET /verification-requests/vr_completed → 401 Authorization is missing, invalid or expired | this magic key acts as <an expired key|a revoked key|an expired key>
5.5 a key without permission is 403
	Authorization: Bearer svc_sk_test_<forbidden|forbidden_7>
	GET /verification-requests/vr_completed → 403 Forbidden | this magic key acts as a key without permission

7 each status has one message
	GET /verification-requests/vr_error_<400|401|403|404|406|429|451|500|501> → <400|401|403|404|406|429|451|500|501> {"error":{"message":"<Invalid field values provided|Authorization is missing, invalid or expired|Forbidden|Not Found|An invalid API version was requested|Too Many Requests|The social security number is frozen|Internal server error|Not Implemented>"}}
7 the header has the cause
	GET /verification-requests/vr_nothing → 400 {"error":{"message":"Verification not found"}} | no verification request is "vr_nothing"

8 metadata has a single level of strings
	POST /credentials/session SESSION{"metadata":{"case":<7|{}|null>}} → 400 Invalid field values provided | metadata must have strings only: "case" is <a number|an object|null>
8 income_multiple is above 0
	PATCH qualification-checks/qc_qualified {"set":{"qualification_check_set":{"income_multiple":"<0|3>"}}} → <400|200>
8 too many requests are 429
	Authorization: Bearer svc_sk_test_limited
	GET /verification-requests/vr_completed → 429 Too Many Requests
`

const spec9 = `
9.1 Accept is optional
	GET /verification-requests/vr_completed → 200 | no version was asked for: send Accept: application/json; version=2019-10-15
	Accept: <application/json|*/*|application/json, text/plain, */*>
	GET /verification-requests/vr_completed → 200 | no version was asked for
9.2 each operation has one version
	Accept: application/json; version=<2022-08-01|2019-10-15|2023-10-30>
	PUT /verification-requests/vr_processing/cancel {"cancellation_reason":"other"} → <200|406|406>
	Accept: application/json; version=<2022-08-01|2019-10-15|2023-10-30>
	POST /credentials/session SESSION{} → <201|406|406>
	Accept: application/json; version=<2022-08-01|2019-10-15|2023-10-30>
	GET /verification-requests/vr_completed → <406|200|406>
	Accept: application/json; version=<2022-08-01|2019-10-15|2023-10-30>
	PUT /tenant-properties/tp_default {"name":"Quay"} → <406|406|200>
	Accept: application/json; version=<2022-08-01|2019-10-15|2023-10-30>
	GET /qualification-checks/qc_qualified → <406|406|200>
9.3 an invalid version is 406
	Accept: application/json; version=<1999-01-01|latest|>
	GET /verification-requests/vr_completed → 406 An invalid API version was requested | send Accept: application/json; version=2019-10-15
9.4 deprecated fields are returned
	GET /verification-requests/vr_completed?income_analytics=true → 200 …"annualized_income":{"amount":{"amount":"
	GET /qualification-checks/qc_qualified → 200 …"income_multiple":
`
