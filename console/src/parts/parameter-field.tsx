// An input for a parameter of an action, as its schema describes it.
import { Field, Input, Select, TextArea } from "../ui/form/field.tsx";
import { type ActionField, hintOf } from "./action-fields.ts";

interface ParameterProps {
  field: ActionField;
  text: string;
  error: string | undefined;
  onChange(text: string): void;
}

export function ParameterField({ field, text, error, onChange }: ParameterProps) {
  const { title, unit, description, isRequired } = field;
  const hint = [hintOf(field, text), description].filter(Boolean).join(". ");
  return (
    <Field
      label={`${title}${unit === null ? "" : `, ${unit}`}${isRequired ? "" : " (may be left out)"}`}
      hint={hint}
      error={error}
    >
      {(attributes) => <Control {...attributes} field={field} text={text} onChange={onChange} />}
    </Field>
  );
}

type ControlProps = Omit<ParameterProps, "error"> & { id: string };

function Control({ field, text, onChange, ...attributes }: ControlProps) {
  const { input, choices, isRequired, decimals, unit } = field;
  const shared = {
    ...attributes,
    "aria-required": isRequired,
    value: text,
    onChange: (event: { target: { value: string } }) => onChange(event.target.value),
  };
  if (input === "lines") return <TextArea {...shared} rows={3} placeholder="One a line" />;
  if (input === "text")
    return (
      <Input
        {...shared}
        autoComplete="off"
        spellCheck={false}
        inputMode={decimals > 0 ? "decimal" : unit === null ? "text" : "numeric"}
        className={unit === null ? "font-mono" : "num"}
      />
    );
  const options =
    input === "flag"
      ? [
          ["true", "Yes"],
          ["false", "No"],
        ]
      : choices.map((each) => [each, each]);
  return (
    <Select {...shared}>
      <option value="">Choose</option>
      {options.map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </Select>
  );
}
