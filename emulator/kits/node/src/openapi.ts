// Written by `npm run generate`.
export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description What the client's account may do. A key that is left out allows everything. */
        Account: {
            types?: components["schemas"]["VerificationType"][];
            use_cases?: components["schemas"]["UseCase"][];
            permissible_purposes?: components["schemas"]["PermissiblePurpose"][];
            /** @description Whether sessions need a reseller party; false, and they may not have one. */
            reseller?: boolean;
        };
        /**
         * @description Dollars with two decimal places.
         * @example 1234.50
         */
        Amount: string;
        /** @description A year's income. In rare cases one of `base_amount` and `gross_amount` is null. */
        AnnualizedIncome: {
            /**
             * @deprecated
             * @description Use `gross_amount`. It equals that, or is `0.00` where that is null.
             */
            amount: components["schemas"]["MoneyAmount"];
            /** @description Recurring income such as salary. */
            base_amount: components["schemas"]["NullableMoneyAmount"];
            /** @description Base and variable income. */
            gross_amount: components["schemas"]["NullableMoneyAmount"];
            /** @description The employee started recently. */
            short_employment_warning: boolean;
            /** @description The data is not fresh. */
            stale_data_warning: boolean;
            /** @description The income varies a lot. */
            variable_income_warning: boolean;
        } | null;
        /** @description A matcher of a JSON body. All keys must hold. */
        BodyMatch: {
            /** @description The whole body; not null. */
            equals?: unknown;
            /** @description A part of the body: an object has these keys, an array has these elements. */
            contains?: unknown;
            /** @description Regular expressions by path, such as `target.first_name` or `/target/first_name`. */
            matches?: {
                [key: string]: string;
            };
            /** @description Paths that are absent or null. A request without body has no paths. */
            absent?: string[];
        };
        /**
         * @description - `immediate`: right after submission, before processing began
         *     - `high-turnaround-time`: the request takes longer than expected
         *     - `competitor`: a competitor was preferred
         *     - `wrong-info`: the submitted information is wrong
         *     - `other`: no other value fits
         * @enum {string}
         */
        CancellationReason: "immediate" | "high-turnaround-time" | "competitor" | "wrong-info" | "other";
        /** @description A world's clock. */
        Clock: {
            now: components["schemas"]["Instant"];
            /** @description Whether the clock is frozen. */
            frozen: boolean;
        };
        /** @description The target's employer. */
        Company: {
            id: number | null;
            name: string | null;
            /** @description Human readable. */
            address: string | null;
            city: string | null;
            state: string | null;
            zip_code: string | null;
            phone_number: string | null;
        } | null;
        /**
         * @description Only USD is supported.
         * @enum {string}
         */
        Currency: "USD";
        /**
         * Format: date
         * @description A calendar day.
         * @example 2024-12-31
         */
        Date: string;
        /**
         * Format: date-time
         * @description An instant, in UTC with six digits of a second.
         * @example 2025-01-15T09:30:00.000000Z
         */
        Datetime: string;
        /**
         * @description A decimal number.
         * @example 0.3
         */
        Decimal: string;
        /** @description An event for a webhook. */
        Delivery: {
            id: string;
            /** @description The id of its subscription. */
            webhook: number;
            event: components["schemas"]["WebhookEvent"];
            /** @description The id of the verification request. */
            resource: string;
            /** @description What the event says: the state of the request, or success or failure of the session. */
            state: string;
            /** @description When it is, or last was, to be sent, by the world's clock. */
            due: components["schemas"]["Instant"];
            status: components["schemas"]["DeliveryStatus"];
            attempts: components["schemas"]["DeliveryAttempt"][];
            /** @description The body that is sent. */
            body: {
                [key: string]: unknown;
            };
        };
        /** @description An attempt to deliver an event. */
        DeliveryAttempt: {
            /** @description By the world's clock. */
            time: components["schemas"]["Instant"];
            /** @description Of the answer; 0 without one. */
            status: number;
            /** @description Why it failed; null for a success. */
            error: string | null;
        };
        /**
         * @description Whether an event is still to be sent, was answered with 2xx, or is not tried again.
         * @enum {string}
         */
        DeliveryStatus: "due" | "delivered" | "given-up";
        /** @description An open dispute. */
        Dispute: {
            /** @description The internal id. */
            id: string;
            created: components["schemas"]["Datetime"];
            description: string;
            /** @description The id for use outside the API. */
            reference_id: string;
        };
        /** @description A supporting file. */
        Document: {
            filename: string | null;
        };
        /** @description The gross earnings of one year. */
        Earnings: {
            /** @example 2024 */
            year: string | null;
            base: components["schemas"]["Amount"];
            bonus: components["schemas"]["Amount"];
            commission: components["schemas"]["Amount"];
            other: components["schemas"]["Amount"];
            overtime: components["schemas"]["Amount"];
            total: components["schemas"]["Amount"];
            termination: boolean;
        };
        /** @description The person and the employment. */
        Employee: {
            first_name: string;
            last_name: string;
            email: string | null;
            social_security_number: components["schemas"]["ObfuscatedSSN"];
            hired_date: components["schemas"]["NullableDate"];
            on_leave_date: components["schemas"]["NullableDate"];
            termination_date: components["schemas"]["NullableDate"];
            /**
             * @description - `active`: currently employed
             *     - `inactive`: no longer employed
             *     - `unknown`: could not be determined
             * @enum {string}
             */
            status: "active" | "inactive" | "unknown";
            status_detail: components["schemas"]["StatusDetail"];
            /** @description Never null. */
            positions: components["schemas"]["Position"][];
            salary: components["schemas"]["Salary"];
            /** @description One for each year. */
            earnings: components["schemas"]["Earnings"][] | null;
        };
        /** @description The employer. */
        Employer: {
            name: string;
            address: string | null;
            government_ids: {
                id: string;
                /** @enum {string} */
                type: "us-fein";
            }[] | null;
        };
        /**
         * @description The employers that a request is about.
         * @enum {string}
         */
        EmployerFilter: "target-employer" | "all-employers" | "current-employer" | "previous-employers";
        /** @description The expected number of matching requests. */
        Expectation: {
            /** @description What is counted; request by default. */
            kind?: components["schemas"]["JournalKind"];
            operation?: components["schemas"]["Operation"];
            /** @description A matcher of a request. An absent key matches anything. */
            match?: {
                method?: string;
                path?: components["schemas"]["TextMatch"];
                query?: {
                    [key: string]: components["schemas"]["TextMatch"];
                };
                headers?: {
                    [key: string]: components["schemas"]["TextMatch"];
                };
                /** @example 4xx */
                status?: number | string;
                body?: components["schemas"]["BodyMatch"];
            };
            /** @description At least once by default. */
            times?: {
                exactly?: number;
                at_least?: number;
                at_most?: number;
            };
        };
        /** @description An active rule. */
        Fault: {
            id: string;
            rule: components["schemas"]["Rule"];
            in_words: string;
            /** @description The id that calls must be for; null: any. */
            resource: string | null;
            /** @description The number of calls that it still applies to. */
            remaining: number | null;
            expires: components["schemas"]["NullableInstant"];
        };
        /**
         * @description A fault of the connection.
         * @enum {string}
         */
        FaultName: "connection-reset" | "empty" | "truncated" | "malformed" | "dribble";
        /**
         * @description Whether answers change in what no client may rely on; values also puts unknown words where an enumeration may grow.
         * @enum {string}
         */
        Grease: "off" | "on" | "values";
        /**
         * @description Computed from the report. Only if the query parameter `income_analytics` is true and the employee's
         *     status is active.
         */
        IncomeAnalytics: {
            annualized_income: components["schemas"]["AnnualizedIncome"];
            income_volatility: components["schemas"]["IncomeVolatility"];
        } | null;
        /**
         * @description - `estimate`: estimated from source data
         *     - `source`: provided directly by the source
         * @enum {string}
         */
        IncomeFidelity: "estimate" | "source";
        /** @description The variation of pay. */
        IncomeVolatility: {
            /** @description The coefficient of variation of a pay period's gross earnings over the paystubs. */
            gross_income_volatility: components["schemas"]["NullableDecimal"];
        } | null;
        /** @description A qualification check, and the verification request that has its reports. */
        InspectedQualificationCheck: {
            id: string;
            created: components["schemas"]["Datetime"];
            /** @enum {string} */
            kind: "applicant" | "guarantor";
            metadata: components["schemas"]["Metadata"];
            /** @description The property to rent. */
            property_details: {
                /** @description The target rent in USD. */
                rent: components["schemas"]["Amount"];
            };
            qualification_check_set: components["schemas"]["QualificationCheckSet"];
            result: components["schemas"]["QualificationResult"];
            /** @description The check's id with vr_of_ before it. */
            verification_request_id: string;
        };
        /**
         * Format: date-time
         * @description An instant, RFC 3339.
         * @example 2025-01-15T09:30:00Z
         */
        Instant: string;
        /** @description A body; null for none. */
        JournalBody: {
            /** @description The body; null if it is not JSON or not complete. */
            json: unknown;
            /** @description The body; null if it is JSON. */
            text: string | null;
            /** @description The size of the whole body, in bytes. */
            size: number;
            truncated: boolean;
        } | null;
        /** @description A request with its answer. */
        JournalEntry: {
            id: string;
            /** @description Its number in the world. */
            sequence: number;
            /** @description By the world's clock. */
            time: components["schemas"]["Instant"];
            /** @description By the machine's clock. */
            wall_time: components["schemas"]["Instant"];
            /** @description Until the answer is sent. */
            duration_ms: number;
            kind: components["schemas"]["JournalKind"];
            /** @description The id of a webhook's delivery. */
            delivery?: string;
            method: string;
            /** @description Of a webhook the whole URL. */
            path: string;
            query: string;
            operation: components["schemas"]["Operation"] | "";
            /** @description 0 for a broken connection. */
            status: number;
            fault: components["schemas"]["FaultName"] | null;
            /** @description The scenario that decided the answer. */
            scenario: string | null;
            /** @description The rule that decided the answer: file:line:column. */
            rule: string | null;
            diagnosis: string[];
            headers: components["schemas"]["JournalHeader"][];
            /** @description Requests in a snapshot of an earlier release lack them. */
            response_headers?: components["schemas"]["JournalHeader"][];
            request: components["schemas"]["JournalBody"];
            response: components["schemas"]["JournalBody"];
        };
        /** @description A line of the header of a request or an answer. */
        JournalHeader: {
            name: string;
            value: string;
        };
        /**
         * @description A request of a client, or an attempt to deliver a webhook.
         * @enum {string}
         */
        JournalKind: "request" | "webhook";
        /** @description A request and its result. */
        JournalRequest: {
            id: string;
            /** @description Its number in the world. */
            sequence: number;
            /** @description By the world's clock. */
            time: components["schemas"]["Instant"];
            /** @description By the machine's clock. */
            wall_time: components["schemas"]["Instant"];
            /** @description Until the answer is sent. */
            duration_ms: number;
            kind: components["schemas"]["JournalKind"];
            /** @description The id of a webhook's delivery. */
            delivery?: string;
            method: string;
            /** @description Of a webhook the whole URL. */
            path: string;
            query: string;
            operation: components["schemas"]["Operation"] | "";
            /** @description 0 for a broken connection. */
            status: number;
            fault: components["schemas"]["FaultName"] | null;
            /** @description The scenario that decided the answer. */
            scenario: string | null;
            /** @description The rule that decided the answer: file:line:column. */
            rule: string | null;
            diagnosis: string[];
        };
        /** @description Strings by name, in a single level. */
        Metadata: {
            [key: string]: string;
        } | null;
        /**
         * @description A misbehaviour of webhooks.
         * @enum {string}
         */
        Misdelivery: "twice" | "lost" | "late" | "out-of-order" | "wrong-token" | "before-answer";
        /** @description An amount of money. */
        MoneyAmount: {
            amount: components["schemas"]["NullableAmount"];
            currency: components["schemas"]["Currency"] | null;
        };
        /** @description A rule, and its time to live. */
        NewFault: {
            rule: components["schemas"]["Rule"] | string;
            /** @example 10m */
            expires_in?: string;
            /**
             * @description The id that calls must be for.
             * @example vr_completed
             */
            resource?: string;
        };
        /** @description A qualification check to create. */
        NewQualificationCheck: {
            id?: string;
            scenario?: string;
            /** @description As in scenario files. */
            qualification_check?: {
                [key: string]: unknown;
            };
            /** @description As in scenario files. */
            person?: {
                [key: string]: unknown;
            };
            /** @description As in scenario files. */
            company?: {
                [key: string]: unknown;
            };
            /** @description As in scenario files. */
            reports?: {
                [key: string]: unknown;
            }[];
        };
        /** @description A tenant property to create. */
        NewTenantProperty: {
            id?: string;
            scenario?: string;
            /** @description As in scenario files. */
            tenant_property?: {
                [key: string]: unknown;
            };
        };
        /** @description A verification request to create. */
        NewVerification: {
            id?: string;
            scenario?: string;
            state?: components["schemas"]["State"];
            /** @description As in scenario files. */
            verification_request?: {
                [key: string]: unknown;
            };
            /** @description As in scenario files. */
            person?: {
                [key: string]: unknown;
            };
            /** @description As in scenario files. */
            company?: {
                [key: string]: unknown;
            };
            /** @description As in scenario files. */
            reports?: {
                [key: string]: unknown;
            }[];
        };
        /** @description A subscription. Its target is on loopback, a private network, or a host without a dot or of --webhook-host. */
        NewWebhook: {
            /** @example http://127.0.0.1:8081/hooks */
            url: string;
            /** @description All by default. */
            events?: components["schemas"]["WebhookEvent"][];
            /** @description Drawn from the seed by default. */
            token?: string;
            /** @description 2023-10-30 by default. */
            version?: components["schemas"]["WebhookVersion"];
        };
        NullableAmount: components["schemas"]["Amount"] | null;
        NullableDate: components["schemas"]["Date"] | null;
        NullableDatetime: components["schemas"]["Datetime"] | null;
        NullableDecimal: components["schemas"]["Decimal"] | null;
        NullableIncomeFidelity: components["schemas"]["IncomeFidelity"] | null;
        NullableInstant: components["schemas"]["Instant"] | null;
        NullableMoneyAmount: components["schemas"]["MoneyAmount"] | null;
        /**
         * @description A social security number with only the last four digits visible.
         * @example ***-**-1234
         */
        ObfuscatedSSN: string | null;
        /**
         * @description A header that a rule leaves out.
         * @enum {string}
         */
        OmittedHeader: "Content-Type" | "Date" | "Retry-After" | "WWW-Authenticate";
        /**
         * @description An operationId of the emulated API.
         * @enum {string}
         */
        Operation: "cancelVerificationRequest" | "getVerificationRequest" | "updateTenantProperty" | "createCredentialsSession" | "getQualificationCheck" | "createVerification" | "listVerifications" | "getReport" | "reverify" | "listCompanies";
        /** @enum {string} */
        PayFrequency: "annually" | "daily" | "semiweekly" | "monthly" | "weekly" | "biweekly" | "bimonthly" | "semimonthly" | "quarterly" | "semiannually" | "thirteen-monthly" | "fourteen-month" | "hourly" | "variable";
        /** @description One paycheck. All amounts except `net` are before deductions. */
        Paystub: {
            /** @description The internal id. */
            id: string;
            /** @description The payroll provider's id. */
            reference_id: string | null;
            /** @description Delivery of the paycheck. */
            pay_date: components["schemas"]["NullableDate"];
            pay_period_start_date: components["schemas"]["NullableDate"];
            pay_period_end_date: components["schemas"]["NullableDate"];
            pay_period_hours: components["schemas"]["NullableDecimal"];
            base: components["schemas"]["NullableAmount"];
            bonus: components["schemas"]["NullableAmount"];
            commission: components["schemas"]["NullableAmount"];
            overtime: components["schemas"]["NullableAmount"];
            other: components["schemas"]["NullableAmount"];
            /** @description The total before deductions. */
            gross: components["schemas"]["NullableAmount"];
            /** @description The total after deductions. */
            net: components["schemas"]["NullableAmount"];
        };
        /**
         * @description - `child-support`: determining child support payments, for verifiers representing enforcement agencies
         *     - `credit-application`: the target applied for credit
         *     - `employee-eligibility`: eligibility for a government-granted benefit
         *     - `employee-request`: the target gave the verifier written instruction to obtain the data
         *     - `employee-review-or-collection`: review or collection on the target's account
         *     - `employment`: employment purposes with the target's prior written consent
         *     - `insurance-underwriting-application`: underwriting insurance on the target's application
         *     - `legitimate-reason-initiated`: business need tied to a transaction the target initiated
         *     - `legitimate-reason-review`: business need to review whether the target still meets account terms
         *     - `risk-assessment`: assessing risk on an existing credit obligation of the target
         *     - `subpoena`: court order or federal grand jury subpoena
         * @enum {string}
         */
        PermissiblePurpose: "child-support" | "credit-application" | "employee-eligibility" | "employee-request" | "employee-review-or-collection" | "employment" | "insurance-underwriting-application" | "legitimate-reason-initiated" | "legitimate-reason-review" | "risk-assessment" | "subpoena";
        /** @description One job at the employer. */
        Position: {
            title: string | null;
            start_date: components["schemas"]["NullableDate"];
            end_date: components["schemas"]["NullableDate"];
            /** @enum {string} */
            employment_type: "regular-full-time" | "regular-part-time" | "contractor-1099" | "other";
        };
        /** @enum {string} */
        PricingTier: "instant" | "credentials" | "smart-outreach" | "third-party-providers";
        /** @description The thresholds of the check. */
        QualificationCheckSet: {
            id: string;
            name: string;
            /** @description Threshold of rent to the applicant's monthly gross income. */
            applicant_rent_to_income_ratio: components["schemas"]["Decimal"];
            /** @description Threshold of rent to the guarantor's monthly gross income. */
            guarantor_rent_to_income_ratio: components["schemas"]["Decimal"];
            /**
             * @deprecated
             * @description Use `applicant_rent_to_income_ratio`. Threshold ratio of target rent to monthly gross income; above 0.
             * @example 3
             */
            income_multiple: string | null;
        };
        /** @description The result of one report. */
        QualificationReportResult: {
            report_id: string;
            monthly_gross_income: components["schemas"]["NullableAmount"];
            monthly_gross_income_fidelity: components["schemas"]["NullableIncomeFidelity"];
            /** @description The documents accepted as proof of income. */
            satisfied_document_income_requirements: {
                file_type: string;
                start_date: components["schemas"]["NullableDate"];
                end_date: components["schemas"]["NullableDate"];
            }[] | null;
        };
        /** @description The outcome and its figures. */
        QualificationResult: {
            /** @enum {string} */
            outcome: "qualified" | "not_qualified" | "not_enough_information";
            /** @description Across all requested reports. */
            monthly_gross_income: components["schemas"]["NullableAmount"];
            monthly_gross_income_fidelity: components["schemas"]["NullableIncomeFidelity"];
            /** @description The ratio of the rent to the monthly gross income. */
            rent_to_income_ratio: components["schemas"]["NullableDecimal"];
            /** @description The result of each report; never null. */
            report_results: components["schemas"]["QualificationReportResult"][];
        };
        /** @description The report of one employment. */
        Report: {
            id: string;
            created: components["schemas"]["Datetime"];
            current_as_of: components["schemas"]["Date"];
            additional_notes: string | null;
            /** @description Whether the report is eligible for the day-one-certainty programme of a mortgage agency. */
            d1c_eligible: boolean | null;
            /** @description The reference id to submit to that agency. */
            du_reference_id: string | null;
            /** @description Open disputes relevant to this report; never null. */
            disputes: components["schemas"]["Dispute"][];
            employee: components["schemas"]["Employee"];
            employer: components["schemas"]["Employer"];
            income_analytics: components["schemas"]["IncomeAnalytics"];
            /**
             * @description Pay period end of the latest paystub, else its pay date. Only for reports of income and employment that have
             *     paystubs.
             */
            paid_through_date: components["schemas"]["NullableDate"];
            /** @description By pay date, most recent first. */
            paystubs: components["schemas"]["Paystub"][] | null;
            pricing_tier: components["schemas"]["PricingTier"] | null;
            respondent: components["schemas"]["Respondent"];
            /** @description The request that the report belongs to. */
            verification_request: {
                id: string;
                created: components["schemas"]["Datetime"];
                type: components["schemas"]["VerificationType"];
            };
        };
        /** @description The employers and the methods of the request. */
        RequestParameters: {
            employer_filter: components["schemas"]["EmployerFilter"];
            verification_methods: {
                credentials: components["schemas"]["VerificationMethod"];
                instant: components["schemas"]["VerificationMethod"];
                smart_outreach: components["schemas"]["VerificationMethod"];
            };
        } | null;
        /** @description The party behind a reseller. */
        ResellerOriginatingParty: {
            originating_party: string;
            permissible_purpose: components["schemas"]["PermissiblePurpose"];
            use_case: components["schemas"]["ReturnedUseCase"];
        } | null;
        /** @description The person who answered for the employer. */
        Respondent: {
            email: string | null;
            full_name: string | null;
            title: string | null;
        } | null;
        /** @description Why the request was canceled. */
        ReturnedCancellationReason: components["schemas"]["CancellationReason"] | null;
        /**
         * @description The type of product that the request originates from. `other` exists for historical compatibility and cannot be
         *     used on new requests.
         * @enum {string}
         */
        ReturnedUseCase: "mortgage" | "home-equity" | "background" | "tenant" | "government" | "auto" | "lending" | "credit" | "identity" | "insurance" | "health" | "offers" | "account-management" | "preapproval" | "other";
        /** @description A rule as in scenario files. */
        Rule: {
            on?: components["schemas"]["RuleOperation"];
            state?: components["schemas"]["State"] | components["schemas"]["State"][];
            fault?: components["schemas"]["FaultName"];
            /** @description How a webhook is delivered, for `on` webhook; an object says how late. */
            deliver?: components["schemas"]["Misdelivery"] | {
                /** @example 2h */
                late: string;
            };
            respond?: {
                status?: number;
                /** @description Of an error. */
                message?: string;
                headers?: {
                    [key: string]: string | number;
                };
                /** @description Headers with an HTTP date: how long after the world's time. */
                dates?: {
                    [key: string]: string;
                };
                /** @example text/html */
                content_type?: string;
                /** @description In place of the error; `none` is no body. */
                body?: string | number;
                omit?: components["schemas"]["OmittedHeader"][] | components["schemas"]["OmittedHeader"];
            };
        } & {
            [key: string]: unknown;
        };
        /**
         * @description The calls that a rule is for, of every kind of resource or of one.
         * @enum {string}
         */
        RuleOperation: "any" | "get" | "cancel" | "update" | "create" | "list" | "report" | "reverify" | "any verification_request" | "get verification_request" | "cancel verification_request" | "create verification_request" | "list verification_request" | "report verification_request" | "reverify verification_request" | "any qualification_check" | "get qualification_check" | "any tenant_property" | "update tenant_property" | "any credentials_session" | "create credentials_session" | "any company" | "list company" | "webhook";
        /** @description The agreed pay. */
        Salary: {
            /** @description Per `pay_frequency`. */
            gross_pay: components["schemas"]["NullableAmount"];
            hours_per_week: components["schemas"]["NullableDecimal"];
            months_per_year: components["schemas"]["NullableDecimal"];
            pay_frequency: components["schemas"]["PayFrequency"] | null;
            /**
             * @description Whether the salary was reduced because of COVID-19.
             * @enum {string}
             */
            reduced_covid: "yes" | "no" | "unknown";
        } | null;
        /** @description How a credentials session ends. */
        SessionEnd: {
            /**
             * @description success when it is left out.
             * @enum {string}
             */
            outcome?: "success" | "failure" | "abandoned";
        };
        /**
         * @description Who uses the token of a credentials session, the emulator at once (auto) or the client's user (manual).
         * @enum {string}
         */
        SessionFlow: "auto" | "manual";
        /** @description A credentials session with the id of its verification request. */
        SessionView: {
            id: string;
            created: components["schemas"]["Instant"];
            verification_request_id: string;
            state: components["schemas"]["State"];
            scenario: string;
            /**
             * @description Who uses the token: the emulator at once, or a person.
             * @enum {string}
             */
            flow: "auto" | "manual";
            /** @description success, failure or abandoned; null until it is known. */
            outcome: string | null;
            /** @description The page on which a person uses the token, from the control plane's host on; null with `auto`. */
            flow_url: string | null;
        };
        Settings: {
            grease: components["schemas"]["Grease"];
            session_flow: components["schemas"]["SessionFlow"];
            account: components["schemas"]["Account"];
        };
        SettingsChange: {
            grease?: components["schemas"]["Grease"];
            session_flow?: components["schemas"]["SessionFlow"];
            account?: components["schemas"]["Account"];
        };
        /**
         * @description - `pending-approval`: created, or waiting for the target's approval
         *     - `action-required`: a user action is needed to continue
         *     - `invalid`: the data has issues, such as an employee or employer who could not be located; terminal
         *     - `processing`: the service works on it
         *     - `completed`: reports are available; terminal
         *     - `canceled`: by the verifier or by the service; terminal
         * @enum {string}
         */
        State: "pending-approval" | "action-required" | "invalid" | "processing" | "completed" | "canceled";
        /**
         * @description - status `active`: active to active-as-needed
         *     - status `inactive`: surviving-spouse to not-payroll
         *     - status `unknown`: unknown
         *     - statuses of their own: furloughed-covid (furloughed because of COVID-19), non-employee (no record of the
         *       employee found)
         *     - no status given: future-employee
         * @enum {string}
         */
        StatusDetail: "active" | "int-assignment" | "casual" | "long-term-dis" | "sick-leave" | "on-leave" | "multiple-positions" | "new-employee" | "part-time" | "season" | "temporary" | "intern" | "transferred" | "on-sabbatical" | "divested" | "full-time" | "active-as-needed" | "surviving-spouse" | "inactive" | "lay-off" | "retired" | "separated" | "deceased" | "severed-pay" | "temp-inactive" | "non-emp-ben" | "not-assignment" | "not-payroll" | "unknown" | "furloughed-covid" | "non-employee" | "future-employee";
        /** @description The person that is verified. */
        Target: {
            first_name: string;
            last_name: string;
            social_security_number: components["schemas"]["ObfuscatedSSN"];
            date_of_birth: components["schemas"]["NullableDate"];
            contact_email: string | null;
            phone_number: string | null;
            company: components["schemas"]["Company"];
        };
        /** @description A named property with an address. */
        TenantProperty: {
            id: string;
            name: string;
            address_line_1: string | null;
            address_line_2: string | null;
            address_line_3: string | null;
            city: string | null;
            postal_code: string | null;
            state: string | null;
            status: string;
        };
        /** @description A matcher of a text. A string matches an equal text. */
        TextMatch: string | {
            equals?: string;
            contains?: string;
            /** @description A regular expression. */
            matches?: string;
            absent?: boolean;
        };
        /** @description A state that the request had or has, or a step of its timeline that was skipped or lies ahead. */
        TimelineStep: {
            state: components["schemas"]["State"];
            /** @description The condition of the step; null for the first step, and for a state off the timeline. */
            after: string | null;
            /** @enum {string} */
            place: "past" | "present" | "next" | "ahead";
            /**
             * @description By the world's clock: the instant at which a past or present step was entered, or a timed next step is due. Null
             *     if unknown, and for a skipped step.
             */
            at: components["schemas"]["NullableInstant"];
        };
        /** @description Estimates of the request's duration in hours; null where there is none. */
        TurnaroundTime: {
            best_estimate: components["schemas"]["NullableDecimal"];
            lower_bound: components["schemas"]["NullableDecimal"];
            upper_bound: components["schemas"]["NullableDecimal"];
        };
        /**
         * @description The type of product that a new request originates from.
         * @enum {string}
         */
        UseCase: "mortgage" | "home-equity" | "background" | "tenant" | "government" | "auto" | "lending" | "credit" | "identity" | "insurance" | "health" | "offers" | "account-management" | "preapproval";
        /** @description A change of a verification request. */
        VerificationChange: {
            state?: components["schemas"]["State"];
            cancellation_reason?: components["schemas"]["CancellationReason"];
            cancellation_details?: string;
            /** @description Allow a transition that the specification forbids. */
            force?: boolean;
            /** @description Fields by their own names. In place of a list, an object changes elements by their numbers, from 0. */
            set?: {
                [key: string]: unknown;
            };
            /**
             * @description Fields of the answer to a cancel by their own names, also the state `other` and the reason `no-match`, which later reads
             *     show as `canceled` and `other`.
             */
            set_canceled?: {
                [key: string]: unknown;
            };
            /** @description Changes of the reports, in their order; an empty object leaves a report as it is. */
            reports?: {
                /** @description Fields of the report by their own names. */
                set?: {
                    [key: string]: unknown;
                };
                /**
                 * @description The defect that the report has from now on, as in a scenario file; `none` takes it away.
                 * @enum {string}
                 */
                tamper?: "none" | "year-to-date" | "total" | "net" | "gross" | "rounded" | "duplicate" | "dates" | "tenure" | "employer" | "ein";
            }[];
        };
        /** @description One way to obtain a report. */
        VerificationMethod: {
            enabled: boolean;
        };
        /** @description A verification request with all keys. */
        VerificationRequest: {
            id: string;
            created: components["schemas"]["Datetime"];
            date_of_completion: components["schemas"]["NullableDatetime"];
            state: components["schemas"]["State"];
            type: components["schemas"]["VerificationType"];
            use_case: components["schemas"]["ReturnedUseCase"];
            permissible_purpose: components["schemas"]["PermissiblePurpose"];
            price: components["schemas"]["MoneyAmount"];
            turnaround_time: components["schemas"]["TurnaroundTime"];
            branch_id: string | null;
            loan_id: string | null;
            /** @description Information about the target that may speed up completion. */
            additional_information: string | null;
            cancellation_reason: components["schemas"]["ReturnedCancellationReason"];
            /** @description Free text; only when the state is canceled. */
            cancellation_details: string | null;
            /** @description Supporting files from the verifier. */
            documents: components["schemas"]["Document"][] | null;
            metadata: components["schemas"]["Metadata"];
            /** @description The applicable reports; null until the request has completed. */
            reports: components["schemas"]["Report"][] | null;
            request_parameters: components["schemas"]["RequestParameters"];
            reseller_originating_party: components["schemas"]["ResellerOriginatingParty"];
            target: components["schemas"]["Target"];
        };
        /** @description A verification request, in a list. */
        VerificationSummary: {
            id: string;
            state: components["schemas"]["State"];
            scenario: string;
            created: components["schemas"]["Instant"];
            credentials_session_id: string | null;
        };
        /**
         * @description The kind of verification.
         * @enum {string}
         */
        VerificationType: "employment-income" | "employment" | "tenant-screening" | "assets";
        /** @description A verification request with its timeline and rules. */
        VerificationView: {
            id: string;
            state: components["schemas"]["State"];
            scenario: string;
            created: components["schemas"]["Instant"];
            credentials_session_id: string | null;
            timeline: components["schemas"]["TimelineStep"][];
            /**
             * @description The rules for calls on it, in words, in the order of evaluation: the active faults of the world, with their ids
             *     in brackets; the rules of its scenario; the global rules, with their scenarios in brackets. With `?world=` rules
             *     for some API keys only are not listed.
             */
            rules: string[];
            /**
             * @description In words: the fields of reports that are shown as `set` has them, although another value follows from the rest of
             *     the document; and a cancellation reason that is the service's own, because nobody gave one.
             */
            diagnosis: string[];
            resource: components["schemas"]["VerificationRequest"];
        };
        /** @description A subscription to events of the world. */
        Webhook: {
            id: number;
            url: string;
            events: components["schemas"]["WebhookEvent"][];
            /** @description Sent in X-Webhook-Token, or the header of --webhook-token-header. */
            token: string;
            version: components["schemas"]["WebhookVersion"];
        };
        /**
         * @description What a webhook is told.
         * @enum {string}
         */
        WebhookEvent: "verification_request.state.change" | "credentials_session.state.change";
        /**
         * @description The form of the body.
         * @enum {string}
         */
        WebhookVersion: "2019-10-15" | "2020-12-07" | "2022-08-01" | "2023-10-30";
        /** @description A world. */
        World: {
            id: string;
            /**
             * @description Masked: the end of a long key, and the beginning of the world's id.
             * @example svc_sk_test_…0003#27d2
             */
            key: string;
            /**
             * @description Null for none.
             * @example Payroll
             */
            name: string | null;
            seed: number;
            created: components["schemas"]["Instant"];
            clock: components["schemas"]["Clock"];
            /** @description By the machine's clock, to the minute. Null for a world that an earlier release has made and nobody has used since. */
            last_used: components["schemas"]["NullableInstant"];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type Account = components['schemas']['Account'];
export type Amount = components['schemas']['Amount'];
export type AnnualizedIncome = components['schemas']['AnnualizedIncome'];
export type BodyMatch = components['schemas']['BodyMatch'];
export type CancellationReason = components['schemas']['CancellationReason'];
export type Clock = components['schemas']['Clock'];
export type Company = components['schemas']['Company'];
export type Currency = components['schemas']['Currency'];
export type Date = components['schemas']['Date'];
export type Datetime = components['schemas']['Datetime'];
export type Decimal = components['schemas']['Decimal'];
export type Delivery = components['schemas']['Delivery'];
export type DeliveryAttempt = components['schemas']['DeliveryAttempt'];
export type DeliveryStatus = components['schemas']['DeliveryStatus'];
export type Dispute = components['schemas']['Dispute'];
export type Document = components['schemas']['Document'];
export type Earnings = components['schemas']['Earnings'];
export type Employee = components['schemas']['Employee'];
export type Employer = components['schemas']['Employer'];
export type EmployerFilter = components['schemas']['EmployerFilter'];
export type Expectation = components['schemas']['Expectation'];
export type Fault = components['schemas']['Fault'];
export type FaultName = components['schemas']['FaultName'];
export type Grease = components['schemas']['Grease'];
export type IncomeAnalytics = components['schemas']['IncomeAnalytics'];
export type IncomeFidelity = components['schemas']['IncomeFidelity'];
export type IncomeVolatility = components['schemas']['IncomeVolatility'];
export type InspectedQualificationCheck = components['schemas']['InspectedQualificationCheck'];
export type Instant = components['schemas']['Instant'];
export type JournalBody = components['schemas']['JournalBody'];
export type JournalEntry = components['schemas']['JournalEntry'];
export type JournalHeader = components['schemas']['JournalHeader'];
export type JournalKind = components['schemas']['JournalKind'];
export type JournalRequest = components['schemas']['JournalRequest'];
export type Metadata = components['schemas']['Metadata'];
export type Misdelivery = components['schemas']['Misdelivery'];
export type MoneyAmount = components['schemas']['MoneyAmount'];
export type NewFault = components['schemas']['NewFault'];
export type NewQualificationCheck = components['schemas']['NewQualificationCheck'];
export type NewTenantProperty = components['schemas']['NewTenantProperty'];
export type NewVerification = components['schemas']['NewVerification'];
export type NewWebhook = components['schemas']['NewWebhook'];
export type NullableAmount = components['schemas']['NullableAmount'];
export type NullableDate = components['schemas']['NullableDate'];
export type NullableDatetime = components['schemas']['NullableDatetime'];
export type NullableDecimal = components['schemas']['NullableDecimal'];
export type NullableIncomeFidelity = components['schemas']['NullableIncomeFidelity'];
export type NullableInstant = components['schemas']['NullableInstant'];
export type NullableMoneyAmount = components['schemas']['NullableMoneyAmount'];
export type ObfuscatedSsn = components['schemas']['ObfuscatedSSN'];
export type OmittedHeader = components['schemas']['OmittedHeader'];
export type Operation = components['schemas']['Operation'];
export type PayFrequency = components['schemas']['PayFrequency'];
export type Paystub = components['schemas']['Paystub'];
export type PermissiblePurpose = components['schemas']['PermissiblePurpose'];
export type Position = components['schemas']['Position'];
export type PricingTier = components['schemas']['PricingTier'];
export type QualificationCheckSet = components['schemas']['QualificationCheckSet'];
export type QualificationReportResult = components['schemas']['QualificationReportResult'];
export type QualificationResult = components['schemas']['QualificationResult'];
export type Report = components['schemas']['Report'];
export type RequestParameters = components['schemas']['RequestParameters'];
export type ResellerOriginatingParty = components['schemas']['ResellerOriginatingParty'];
export type Respondent = components['schemas']['Respondent'];
export type ReturnedCancellationReason = components['schemas']['ReturnedCancellationReason'];
export type ReturnedUseCase = components['schemas']['ReturnedUseCase'];
export type Rule = components['schemas']['Rule'];
export type RuleOperation = components['schemas']['RuleOperation'];
export type Salary = components['schemas']['Salary'];
export type SessionEnd = components['schemas']['SessionEnd'];
export type SessionFlow = components['schemas']['SessionFlow'];
export type SessionView = components['schemas']['SessionView'];
export type Settings = components['schemas']['Settings'];
export type SettingsChange = components['schemas']['SettingsChange'];
export type State = components['schemas']['State'];
export type StatusDetail = components['schemas']['StatusDetail'];
export type Target = components['schemas']['Target'];
export type TenantProperty = components['schemas']['TenantProperty'];
export type TextMatch = components['schemas']['TextMatch'];
export type TimelineStep = components['schemas']['TimelineStep'];
export type TurnaroundTime = components['schemas']['TurnaroundTime'];
export type UseCase = components['schemas']['UseCase'];
export type VerificationChange = components['schemas']['VerificationChange'];
export type VerificationMethod = components['schemas']['VerificationMethod'];
export type VerificationRequest = components['schemas']['VerificationRequest'];
export type VerificationSummary = components['schemas']['VerificationSummary'];
export type VerificationType = components['schemas']['VerificationType'];
export type VerificationView = components['schemas']['VerificationView'];
export type Webhook = components['schemas']['Webhook'];
export type WebhookEvent = components['schemas']['WebhookEvent'];
export type WebhookVersion = components['schemas']['WebhookVersion'];
export type World = components['schemas']['World'];
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
