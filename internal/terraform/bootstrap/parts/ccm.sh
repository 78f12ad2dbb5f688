# From examples/existing-cluster of kubernetes/cloud-provider-aws.
cloud_controller_manager() {
	cat <<-END
		apiVersion: v1
		kind: ServiceAccount
		metadata: {name: cloud-controller-manager, namespace: kube-system}
		---
		apiVersion: rbac.authorization.k8s.io/v1
		kind: RoleBinding
		metadata: {name: "cloud-controller-manager:apiserver-authentication-reader", namespace: kube-system}
		roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: extension-apiserver-authentication-reader}
		subjects: [{kind: ServiceAccount, name: cloud-controller-manager, namespace: kube-system}]
		---
		apiVersion: rbac.authorization.k8s.io/v1
		kind: ClusterRoleBinding
		metadata: {name: "system:cloud-controller-manager"}
		roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: "system:cloud-controller-manager"}
		subjects: [{kind: ServiceAccount, name: cloud-controller-manager, namespace: kube-system}]
		---
		apiVersion: rbac.authorization.k8s.io/v1
		kind: ClusterRole
		metadata: {name: "system:cloud-controller-manager"}
		rules:
		- {apiGroups: [""], resources: [events], verbs: [create, patch, update]}
		- {apiGroups: [""], resources: [nodes], verbs: ["*"]}
		- {apiGroups: [""], resources: [nodes/status], verbs: [patch]}
		- {apiGroups: [""], resources: [services, services/status], verbs: [list, patch, update, watch]}
		- {apiGroups: [""], resources: [serviceaccounts], verbs: [create, get, list, watch]}
		- {apiGroups: [""], resources: [serviceaccounts/token], verbs: [create]}
		- {apiGroups: [""], resources: [persistentvolumes], verbs: [get, list, update, watch]}
		- {apiGroups: [""], resources: [configmaps], verbs: [get, list, watch]}
		- {apiGroups: [""], resources: [endpoints], verbs: [create, get, list, watch, update]}
		- {apiGroups: [coordination.k8s.io], resources: [leases], verbs: [create, get, list, watch, update]}
		---
		apiVersion: apps/v1
		kind: DaemonSet
		metadata: {name: aws-cloud-controller-manager, namespace: kube-system}
		spec:
		  selector: {matchLabels: {k8s-app: aws-cloud-controller-manager}}
		  template:
		    metadata: {labels: {k8s-app: aws-cloud-controller-manager}}
		    spec:
		      hostNetwork: true
		      priorityClassName: system-cluster-critical
		      serviceAccountName: cloud-controller-manager
		      nodeSelector: {node-role.kubernetes.io/control-plane: ""}
		      # It takes the uninitialized taint away, and runs before the network does.
		      tolerations: [{operator: Exists}]
		      containers:
		      - name: aws-cloud-controller-manager
		        image: $CCM_IMAGE
		        args: [--cloud-provider=aws, --cluster-name=$CLOUD_NAME, --configure-cloud-routes=false,
		          --allocate-node-cidrs=false, --use-service-account-credentials=true]
		        resources: {requests: {cpu: 100m, memory: 64Mi}}
	END
}
